// swift-tools-version:6.2
import PackageDescription

/// The settings of all Swift targets: Swift 6 with the upcoming features.
let house: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let package = Package(
  name: "fettle",
  platforms: [.macOS(.v15), .iOS(.v17)],
  products: [
    .library(name: "Postgres", targets: ["Postgres"]),
    // Libraries for authors of job handlers.
    .library(name: "FettleJobs", targets: ["Jobs", "Store"]),
    .library(name: "FettleTesting", targets: ["FettleTesting"]),
    // For apps on phones: a store, a queue and their synchronisation. Contains nothing of the server.
    .library(name: "FettleClient", targets: ["FettleClient", "SyncProtocol"]),
    .executable(name: "fettle", targets: ["fettle"]),
    .executable(name: "fettle-device", targets: ["fettle-device"]),
  ],
  // Exact, because no lock file is kept; deploy/dependencies.txt lists those that these depend on too.
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    .package(url: "https://github.com/apple/swift-http-types", exact: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", exact: "2.13.0"),
    .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-extras", exact: "1.35.2"),
    .package(url: "https://github.com/apple/swift-system", exact: "1.8.1"),
    .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1", traits: []),
    .package(url: "https://github.com/swift-server/async-http-client", exact: "1.37.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
    .package(url: "https://github.com/swiftlang/swift-subprocess", exact: "1.0.2", traits: []),
  ],
  targets: [
    // C libraries of Debian.
    .systemLibrary(name: "CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    .systemLibrary(name: "CLibCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "CLibCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CCrypt", pkgConfig: "libxcrypt", providers: [.apt(["libcrypt-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CLibIDN2", pkgConfig: "libidn2", providers: [.apt(["libidn2-dev"])]),
    .systemLibrary(name: "CQREncode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
    .systemLibrary(name: "CLibArchive", pkgConfig: "libarchive", providers: [.apt(["libarchive-dev"])]),
    .systemLibrary(name: "CLibYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
    // curl_easy_setopt is variadic: Swift cannot call it.
    .target(name: "CCurlShim", dependencies: ["CLibCurl"]),
    // The box of programs that read uploaded files: prctl and syscall are variadic too.
    .target(name: "CBox"),
    // Functions of <spawn.h> that the C library does not show to Swift.
    .target(name: "CSpawn"),

    // The SQL and the manifests in the binary, and what browsers load: the plugin EmbedFiles writes them into Swift files.
    .target(name: "FettleSQL", swiftSettings: house, plugins: ["EmbedFiles"]),
    .target(
      name: "WebFiles",
      exclude: ["script", "style", "words"],
      swiftSettings: house,
      plugins: ["EmbedFiles"]
    ),
    .plugin(name: "EmbedFiles", capability: .buildTool(), dependencies: ["embed-files"]),
    .executableTarget(name: "embed-files", path: "Sources/EmbedFiles", swiftSettings: house),

    // What devices and the server share, and the client library; see Sources/FettleClient/FettleClient.docc.
    .target(name: "SyncProtocol", swiftSettings: house),
    .target(
      name: "FettleClient",
      dependencies: [
        "SyncProtocol", "Values",
        // Apple platforms have URLSession.
        .product(
          name: "AsyncHTTPClient",
          package: "async-http-client",
          condition: .when(platforms: [.linux, .android])
        ),
        .product(name: "NIOCore", package: "swift-nio", condition: .when(platforms: [.linux, .android])),
        .product(name: "NIOHTTP1", package: "swift-nio", condition: .when(platforms: [.linux, .android])),
        .product(name: "NIOPosix", package: "swift-nio", condition: .when(platforms: [.linux, .android])),
        .product(
          name: "NIOHTTPCompression",
          package: "swift-nio-extras",
          condition: .when(platforms: [.linux, .android])
        ),
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      swiftSettings: house
    ),
    // A phone at the command line: an example, and the device of end-to-end tests.
    .executableTarget(
      name: "fettle-device",
      dependencies: [
        "FettleClient", "SyncProtocol", "Terminal",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Sources/FettleDevice",
      swiftSettings: house
    ),

    // From the ground up; dependencies point one way.
    .target(name: "Values", swiftSettings: house),
    .target(name: "Postgres", dependencies: ["CLibPQ", "Values"], swiftSettings: house),
    .target(name: "Cluster", dependencies: ["CSpawn"], swiftSettings: house),
    .target(name: "Domain", dependencies: ["CLibIDN2", "Values"], swiftSettings: house),
    .target(name: "Secrets", dependencies: ["CLibCrypto", "CCrypt"], swiftSettings: house),
    .target(name: "Webhooks", dependencies: ["CCurlShim", "Domain", "Secrets"], swiftSettings: house),
    // Shared by Mail and Jobs, which start programs.
    .target(
      name: "Processes",
      dependencies: [
        .product(name: "Subprocess", package: "swift-subprocess"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: house
    ),
    .target(
      name: "Mail",
      dependencies: [
        "CCurlShim", "Domain", "Processes", "Secrets",
        .product(name: "Subprocess", package: "swift-subprocess"),
      ],
      swiftSettings: house
    ),
    .target(
      name: "Store",
      dependencies: ["CLibYAML", "Postgres", "Domain", "Secrets", "FettleSQL"],
      swiftSettings: house
    ),
    // The bytes of files: stores on disk and in S3, media types by content, signed links.
    .target(name: "Files", dependencies: ["CCurlShim", "Domain", "Secrets"], swiftSettings: house),
    // ZIP files, streamed both ways by libarchive.
    .target(name: "Zip", dependencies: ["CLibArchive"], swiftSettings: house),
    .target(name: "Engine", dependencies: ["Files", "Store", "SyncProtocol", "Zip"], swiftSettings: house),
    .target(
      name: "Jobs",
      dependencies: [
        "CBox", "Engine", "Files", "Mail", "Processes", "Prometheus", "Webhooks",
        .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "Subprocess", package: "swift-subprocess"),
      ],
      swiftSettings: house
    ),
    // Generated companies: the part that belongs to no app.
    .target(name: "Demo", dependencies: ["Engine", "Jobs"], swiftSettings: house),
    .target(name: "Reports", dependencies: ["Store"], swiftSettings: house),
    .target(name: "Terminal", dependencies: ["Domain"], swiftSettings: house),
    // Sign-in with identity providers.
    .target(name: "SignIn", dependencies: ["Domain", "Secrets", "Webhooks"], swiftSettings: house),
    // The HTTP API without HTTP's library: routes, the document made of them, and their handlers.
    .target(
      name: "API",
      dependencies: ["Engine", "Jobs", "Reports", "SignIn", "Files", "SyncProtocol", "Webhooks"],
      swiftSettings: house
    ),

    // Charts as shapes, whatever draws them.
    .target(name: "Charts", swiftSettings: house),
    // What pages are made of: markup, words, numbers and dates, forms, places, and the files that browsers load.
    .target(
      name: "Web",
      dependencies: ["CQREncode", "Domain", "Secrets", "WebFiles"],
      swiftSettings: house
    ),
    // The console: pages for the people of a company.
    .target(
      name: "Console",
      dependencies: [
        "API", "Charts", "Engine", "Logbook", "Processes", "Secrets", "Store", "Terminal", "Web",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: house
    ),

    // Metrics, the log, and the HTTP server.
    .target(
      name: "Prometheus",
      dependencies: [.product(name: "CoreMetrics", package: "swift-metrics")],
      swiftSettings: house
    ),
    .target(
      name: "Logbook",
      dependencies: [.product(name: "Logging", package: "swift-log")],
      swiftSettings: house
    ),
    .target(
      name: "Server",
      dependencies: [
        "API", "CZlib", "Prometheus", "Webhooks",
        .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
        .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ],
      swiftSettings: house
    ),
    // The apps: rules and job handlers, which the engine's tests need too, and what people and programs see of them.
    .target(name: "Apps", dependencies: ["Engine", "Jobs", "Webhooks"], swiftSettings: house),
    .target(
      name: "AppInterfaces",
      dependencies: [
        "API", "Apps", "CoreCommands", "Demo", "Terminal",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: house
    ),
    // The command line: parts that commands share, and the executable with the engine's.
    .target(
      name: "CoreCommands",
      dependencies: [
        "Cluster", "Engine", "Jobs", "Terminal", "Files", "Mail",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: house
    ),
    .executableTarget(
      name: "fettle",
      dependencies: [
        "API", "AppInterfaces", "Apps", "Cluster", "Console", "CoreCommands", "Demo", "Engine", "Jobs",
        "Logbook",
        "Prometheus", "Reports", "Server", "SyncProtocol", "Terminal", "Files", "Mail",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
      ],
      swiftSettings: house
    ),

    // Measures the speed beside pgbench and COPY; see deploy/bench.
    .executableTarget(
      name: "fettle-bench",
      dependencies: [
        "API", "Apps", "Cluster", "Engine", "Jobs", "Terminal",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        // For the plain server beside which the API is measured.
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
      ],
      path: "Sources/Bench",
      swiftSettings: house
    ),

    // Checks the guarantees of the queue while workers and PostgreSQL are killed; see deploy/chaos.
    .executableTarget(
      name: "fettle-chaos",
      dependencies: [
        "Cluster", "Engine", "Jobs", "Terminal", "TestDatabase", "TestTools",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
      ],
      path: "Sources/Chaos",
      swiftSettings: house
    ),

    // Servers and clients on sockets, and random numbers with a seed, for tests of any target.
    .target(name: "TestTools", dependencies: ["CSpawn"], path: "Tests/TestTools", swiftSettings: house),
    // A real PostgreSQL for the tests, started by them.
    .target(
      name: "TestDatabase",
      dependencies: ["Cluster", "Postgres", "Store", "TestTools"],
      path: "Tests/TestDatabase",
      swiftSettings: house
    ),
    .testTarget(
      name: "PostgresTests",
      dependencies: ["Postgres", "Cluster", "TestDatabase", "TestTools"],
      swiftSettings: house
    ),
    // For tests of job handlers.
    .target(
      name: "FettleTesting",
      dependencies: ["Engine", "Jobs", "Postgres", "Secrets", "Store", "TestDatabase"],
      swiftSettings: house
    ),
    .testTarget(name: "ValuesTests", dependencies: ["Values"], swiftSettings: house),
    .testTarget(name: "ClusterTests", dependencies: ["Cluster"], swiftSettings: house),
    .testTarget(name: "DomainTests", dependencies: ["Domain", "TestTools"], swiftSettings: house),
    .testTarget(
      name: "SyncProtocolTests",
      dependencies: ["SyncProtocol", "TestTools"],
      swiftSettings: house
    ),
    .testTarget(
      name: "FettleClientTests",
      dependencies: ["FettleClient", "SyncProtocol", .product(name: "GRDB", package: "GRDB.swift")],
      swiftSettings: house
    ),
    .testTarget(name: "SecretsTests", dependencies: ["Secrets"], swiftSettings: house),
    .testTarget(
      name: "WebhooksTests",
      dependencies: ["Domain", "TestTools", "Webhooks"],
      swiftSettings: house
    ),
    // Identity providers of the shapes that people use.
    .target(
      name: "SignInFixtures",
      dependencies: ["CLibCrypto", "Domain", "Secrets", "SignIn"],
      path: "Tests/SignInFixtures",
      swiftSettings: house
    ),
    .testTarget(
      name: "SignInTests",
      dependencies: ["Domain", "Secrets", "SignIn", "SignInFixtures", "Store"],
      swiftSettings: house
    ),
    .testTarget(
      name: "MailTests",
      dependencies: [
        "API", "Domain", "Engine", "EngineFixtures", "FettleTesting", "Jobs", "Mail", "Postgres", "Secrets",
        "Store", "TestDatabase", "TestTools",
      ],
      swiftSettings: house
    ),
    .testTarget(
      name: "FilesTests",
      dependencies: ["Files", "Secrets", .product(name: "Subprocess", package: "swift-subprocess")],
      swiftSettings: house
    ),
    .testTarget(name: "TerminalTests", dependencies: ["Terminal", "TestTools"], swiftSettings: house),
    .testTarget(name: "ChartsTests", dependencies: ["Charts"], swiftSettings: house),
    .testTarget(name: "WebTests", dependencies: ["Domain", "Web", "WebFiles"], swiftSettings: house),
    .testTarget(name: "PrometheusTests", dependencies: ["Prometheus"], swiftSettings: house),
    .testTarget(name: "LogbookTests", dependencies: ["Logbook"], swiftSettings: house),
    .testTarget(
      name: "ServerTests",
      dependencies: [
        "API", "CZlib", "Domain", "Engine", "Server", "TestDatabase", "TestTools", "Webhooks",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle"),
      ],
      swiftSettings: house
    ),
    .testTarget(name: "StoreTests", dependencies: ["Store", "TestDatabase"], swiftSettings: house),
    // Companies, queues and people that the engine's tests and the apps' share.
    .target(
      name: "EngineFixtures",
      dependencies: ["Apps", "Engine", "FettleTesting", "Files", "Jobs", "TestDatabase", "TestTools"],
      path: "Tests/EngineFixtures",
      swiftSettings: house
    ),
    .testTarget(
      name: "EngineTests",
      dependencies: ["Engine", "EngineFixtures", "Files", "Reports", "TestTools"],
      swiftSettings: house
    ),
    // The routes of the API over a real database, without sockets.
    .testTarget(
      name: "APITests",
      dependencies: [
        "API", "AppInterfaces", "Apps", "BrowserFixtures", "Console", "CoreCommands", "Domain", "Engine",
        "EngineFixtures", "FettleClient", "Files", "Mail", "Postgres", "Secrets", "SignIn", "SignInFixtures",
        "Store",
        "SyncProtocol",
        "TestDatabase", "TestTools", "Web",
      ],
      exclude: ["Document/core.json"],
      swiftSettings: house
    ),
    // Tests of one app each, at the command line too.
    .testTarget(
      name: "AppsTests",
      dependencies: [
        "API", "AppInterfaces", "Apps", "EndToEndFixtures", "EngineFixtures", "TestTools", "fettle",
      ],
      swiftSettings: house
    ),
    .testTarget(
      name: "JobsTests",
      dependencies: [
        "Cluster", "EngineFixtures", "Jobs", "Prometheus", "TestTools", "fettle",
        .product(name: "Subprocess", package: "swift-subprocess"),
      ],
      swiftSettings: house
    ),
    // Attacks by members, database roles, app authors and receivers; deploy/guide/security.md lists them.
    .testTarget(
      name: "AttackTests",
      dependencies: [
        "API", "Apps", "Cluster", "Console", "EndToEndFixtures", "EngineFixtures", "Jobs", "Prometheus",
        "Reports",
        "Secrets", "Server", "Store", "TestDatabase", "TestTools", "Webhooks", "fettle",
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: house
    ),
    .testTarget(
      name: "TraceabilityTests",
      path: "Tests/Traceability",
      exclude: ["requirements.md", "requirements.csv"],
      swiftSettings: house
    ),
    .testTarget(
      name: "ChaosTests",
      dependencies: ["EndToEndFixtures", "fettle-chaos"],
      swiftSettings: house
    ),
    // A shell in which the built command is run.
    .target(
      name: "EndToEndFixtures",
      dependencies: ["Cluster", "TestDatabase", "TestTools"],
      path: "Tests/EndToEndFixtures",
      swiftSettings: house
    ),
    // A browser that tests drive, pages to try it on, and a running Fettle to open in it.
    .target(
      name: "BrowserFixtures",
      dependencies: ["EndToEndFixtures", "TestDatabase", "TestTools", "Values"],
      path: "Tests/BrowserFixtures",
      swiftSettings: house
    ),
    .testTarget(
      name: "BrowserTests",
      dependencies: ["BrowserFixtures", "EndToEndFixtures", "TestDatabase", "TestTools", "Values", "fettle"],
      exclude: ["Vectors"],
      swiftSettings: house
    ),
    .testTarget(
      name: "EndToEndTests",
      dependencies: [
        "AppInterfaces", "Apps", "CoreCommands", "Domain", "fettle", "EndToEndFixtures", "Postgres", "SignIn",
        "SignInFixtures", "Store", "TestDatabase", "TestTools", "Zip",
      ],
      swiftSettings: house
    ),
  ]
)

// FETTLE_TESTS=EngineTests,APITests leaves other test targets out of the build, and what only they need; deploy/test sets
// it with --fast.
if let only = Context.environment["FETTLE_TESTS"], !only.isEmpty {
  let names = Set(only.split(separator: ",").map(String.init))
  let unneeded = names.contains("ChaosTests") ? ["fettle-bench"] : ["fettle-bench", "fettle-chaos"]
  package.targets.removeAll {
    unneeded.contains($0.name) || ($0.type == .test && !names.contains($0.name))
  }
}
