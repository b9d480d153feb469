import Files
import Foundation
import Subprocess
import Testing

/// The store in a bucket, against `moto_server` on loopback; skipped where it is not installed.
@Suite(.serialized) struct S3StoreTests {
  @Test(.enabled(if: Moto.isInstalled, "moto_server is not installed: pip install 'moto[server]' boto3"))
  func `a bucket keeps the contract of stores`() async throws {
    try await Moto.run { place, credentials in
      try await StoreContract.check(S3Store(try S3Place(parsing: place), credentials))
    }
  }

  @Test(.enabled(if: Moto.isInstalled, "moto_server is not installed: pip install 'moto[server]' boto3"))
  func `a bucket that does not exist is unavailable or missing`() async throws {
    try await Moto.run { place, credentials in
      let other = place.replacing("s3://fettle-test", with: "s3://other-bucket")
      let store = S3Store(try S3Place(parsing: other), credentials)
      await #expect(throws: FilesError.self) { try await store.check() }
    }
  }

  @Test(.enabled(if: Moto.isInstalled, "moto_server is not installed: pip install 'moto[server]' boto3"))
  func `a bucket is tried, and what is wrong with it is told`() async throws {
    try await Moto.run { place, credentials in
      let probe = S3Probe(try S3Place(parsing: "\(place)&prefix=a/b"), credentials)
      #expect(try await probe.isEmpty())
      try await probe.write()
      #expect(try await probe.isEmpty(), "the probe is removed")
      let neighbour = S3Store(try S3Place(parsing: "\(place)&prefix=a/bc"), credentials)
      let upload = UploadKey(company: UUID(), id: UUID())
      _ = try await neighbour.put([1], as: upload)
      #expect(try await probe.isEmpty(), "another prefix")
      _ = try await S3Store(try S3Place(parsing: "\(place)&prefix=a"), credentials).put([1], as: upload)
      #expect(try await probe.isEmpty(), "a part of the prefix")
      _ = try await S3Store(try S3Place(parsing: "\(place)&prefix=a/b"), credentials).put([1], as: upload)
      #expect(try await !probe.isEmpty())
      let other = try S3Place(parsing: place.replacing("s3://fettle-test", with: "s3://other-bucket"))
      await #expect(throws: S3Probe.Fault.missing) { try await S3Probe(other, credentials).isEmpty() }
      let closed = try S3Place(parsing: "s3://bucket?endpoint=http://127.0.0.1:1")
      let fault = await #expect(throws: S3Probe.Fault.self) {
        try await S3Probe(closed, credentials).isEmpty()
      }
      #expect(fault == .unreachable("Couldn't connect to server"))
    }
  }

  @Test(arguments: [
    "s3://", "s3://ab", "s3://bucket?endpoint=http://example.com", "s3://bucket?endpoint=https://host/path",
    "s3://bucket?endpoint=https://user:pw@host", "s3://bucket?secret=x", "s3://bucket?region=EU north",
    "s3://bucket?prefix=../x", "s3://bucket?prefix=/x", "s3://../etc", "http://bucket", "", "ftp://x",
  ])
  func `a place that cannot be used is refused`(text: String) {
    #expect(throws: FilesError.self) { try BlobPlace(parsing: text) }
  }

  @Test func `a place names bucket, endpoint, region and prefix`() throws {
    let place = try S3Place(
      parsing: "s3://photos?endpoint=https://s3.example:8443&region=eu-north-1&prefix=a/b"
    )
    #expect(place.bucket == "photos" && place.endpoint == "https://s3.example:8443")
    #expect(place.region == "eu-north-1" && place.prefix == "a/b")
    #expect(
      try S3Place(parsing: "s3://photos?region=eu-west-1").endpoint == "https://s3.eu-west-1.amazonaws.com"
    )
    #expect(place.host == "s3.example" && place.port == 8443)
    #expect(try BlobPlace(parsing: "/var/lib/fettle/blobs") == .folder("/var/lib/fettle/blobs"))
  }

  @Test func `credentials come from the environment or a private file, and are not shown`() throws {
    #expect(throws: FilesError.self) { try S3Place.Credentials(environment: [:]) }
    let named = try S3Place.Credentials(
      environment: ["AWS_ACCESS_KEY_ID": "AKIAX", "AWS_SECRET_ACCESS_KEY": "verysecret"]
    )
    #expect(!"\(named)".contains("verysecret") && !String(reflecting: named).contains("verysecret"))
    let path = "\(NSTemporaryDirectory())/fettle-s3-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try "AKIAX\nverysecret\n".write(toFile: path, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    #expect(throws: FilesError.self, "others can read it") {
      try S3Place.Credentials(environment: ["FETTLE_S3_CREDENTIALS": path])
    }
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    #expect(try S3Place.Credentials(environment: ["FETTLE_S3_CREDENTIALS": path]) == named)
  }
}

/// A moto server for one test.
private enum Moto {
  static let isInstalled: Bool = {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return path.split(separator: ":").contains {
      FileManager.default.isExecutableFile(atPath: "\($0)/moto_server")
    }
  }()

  /// Starts a server with an empty bucket, and ends it after the body.
  static func run(_ body: @escaping @Sendable (String, S3Place.Credentials) async throws -> Void) async throws
  {
    let port = Int.random(in: 20_000...40_000)
    let place = "s3://fettle-test?endpoint=http://127.0.0.1:\(port)&region=eu-north-1"
    let credentials = S3Place.Credentials(accessKey: "test", secretKey: "test")
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        _ = try await Subprocess.run(
          .name("moto_server"),
          arguments: ["-H", "127.0.0.1", "-p", "\(port)"],
          output: .discarded,
          error: .discarded
        )
      }
      try await create(bucketAt: "http://127.0.0.1:\(port)/fettle-test")
      try await body(place, credentials)
      group.cancelAll()
    }
  }

  /// Creates the bucket as soon as the server answers.
  private static func create(bucketAt url: String) async throws {
    for _ in 0..<600 {
      let result = try await Subprocess.run(
        .name("curl"),
        arguments: [
          "--silent", "--fail", "--retry", "60", "--retry-connrefused", "--retry-delay", "1", "-X", "PUT",
          url,
        ],
        output: .discarded,
        error: .discarded
      )
      if result.terminationStatus.isSuccess { return }
    }
    Issue.record("moto_server does not answer")
  }
}
