import EndToEndFixtures
import Foundation
import TestDatabase
import TestTools
import Testing

/// An S3 server with TLS for one test: moto, and socat before it, because moto's own TLS ends connections in a way that
/// pgBackRest refuses.
struct BucketServer {
  /// The host and port of the service.
  let endpoint: String
  /// The certificate of the service, which is its own authority.
  let certificate: String
  /// The name of an empty bucket.
  let bucket = "backups"
  private let shell: Shell

  /// False where a program is missing, which `deploy/test` installs.
  static let isInstalled = ["moto_server", "socat", "curl", "openssl"].allSatisfy { path(of: $0) != nil }

  private static func path(of program: String) -> String? {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(program)" }
      .first(where: FileManager.default.isExecutableFile)
  }

  /// Starts the server with its bucket, and ends it after the body.
  static func run(in shell: Shell, _ body: (BucketServer) async throws -> Void) async throws {
    let (inner, outer) = (try Loopback.freePort(), try Loopback.freePort())
    let folder = shell.folder.path
    let (key, certificate) = ("\(folder)/tls.key", "\(folder)/tls.crt")
    let made = try await shell.program(
      "/usr/bin/openssl",
      [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-days", "2", "-nodes",
        "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out",
        certificate,
      ]
    )
    #expect(made.status == 0, "\(made.errors)")
    let servers = [
      try start("moto_server", ["-H", "127.0.0.1", "-p", "\(inner)"], shell),
      try start(
        "socat",
        [
          "OPENSSL-LISTEN:\(outer),bind=127.0.0.1,reuseaddr,fork,verify=0,cert=\(certificate),key=\(key)",
          "TCP:127.0.0.1:\(inner)",
        ],
        shell
      ),
    ]
    let server = BucketServer(endpoint: "localhost:\(outer)", certificate: certificate, shell: shell)
    do {
      try await until { try await server.curl("-X", "PUT", "https://\(server.endpoint)/backups") == 0 }
      try await body(server)
      try await end(servers)
    } catch {
      try await end(servers)
      throw error
    }
  }

  private static func start(_ program: String, _ arguments: [String], _ shell: Shell) throws -> Running {
    let own = ProcessInfo.processInfo.environment
    return try Running(
      URL(filePath: try #require(path(of: program))),
      arguments,
      // With the folder as its home, the next run ends it if this one is killed.
      environment: [
        "PATH": own["PATH"] ?? "", "HOME": own["HOME"] ?? "", "FETTLE_HOME": shell.folder.path,
      ],
      input: "",
      folder: shell.folder
    )
  }

  /// Ends the servers. All of them before any is waited for: each has what tells the end of those started before it.
  private static func end(_ servers: [Running]) async throws {
    // After SIGTERM, moto waits for connections that stay open.
    for server in servers { server.signal(SIGKILL) }
    for server in servers { _ = try await server.end() }
  }

  /// Lets the service refuse keys that it does not know, or take every key.
  func checkKeys(_ isStrict: Bool) async throws {
    let limit = isStrict ? "0" : "inf"
    let status = try await curl(
      "-H",
      "Content-Type: application/octet-stream",
      "--data-binary",
      limit,
      "https://\(endpoint)/moto-api/reset-auth"
    )
    #expect(status == 0)
  }

  /// Sends a request and returns the status of curl, which is 0 only after a success.
  private func curl(_ arguments: String...) async throws -> Int32 {
    try await shell.program(
      "/usr/bin/curl",
      ["--silent", "--fail", "--output", "/dev/null", "--cacert", certificate] + arguments
    ).status
  }
}
