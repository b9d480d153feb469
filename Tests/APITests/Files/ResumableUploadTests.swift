import API
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Secrets
import Store
import Testing

/// Resumable uploads as tus 1.0 describes them.
@Suite(.timeLimit(.minutes(60))) struct ResumableUploadTests {
  private typealias Field = (name: String, value: String)
  private static let version: Field = ("tus-resumable", "1.0.0")
  private static let type: Field = ("content-type", "application/offset+octet-stream")

  private static func open(_ body: (APIFixture, FileShop) async throws -> Void) async throws {
    try await FileShop.open { files in
      let api = try await APIFixture.open(files.shop, services: files.services) { services in
        FileRoutes(services, files.records).routes
      }
      try await body(api, files)
    }
  }

  private static func metadata(_ files: FileShop) -> Field {
    let pairs = [
      ("record_type", FileShop.type), ("record_id", files.shop.machine.text), ("kind", "photo"),
      ("filename", "pump å.jpg"), ("ignored", "yes"),
    ]
    let text = pairs.map { "\($0.0) \(Base64.encode(Array($0.1.utf8)))" }.joined(separator: ",")
    return ("upload-metadata", text)
  }

  private static func create(_ api: APIFixture, _ files: FileShop, size: Int) async throws -> String {
    let answer = try await api.send(
      .post,
      "/v1/uploads",
      as: api.member("admin"),
      headers: [version, ("upload-length", "\(size)"), metadata(files)]
    )
    #expect(answer.status == 201 && answer.headers["tus-resumable"] == "1.0.0")
    #expect(answer.headers["upload-expires"]?.hasSuffix(" GMT") == true)
    let location = try #require(answer.headers["location"])
    return String(location.dropFirst(APIFixture.origin.count))
  }

  private static func patch(
    _ api: APIFixture,
    _ path: String,
    _ bytes: [UInt8],
    at offset: Int,
    _ more: Field...
  ) async throws -> TestAnswer {
    try await api.send(
      .patch,
      path,
      .stream(FileShop.parts(bytes), length: bytes.count),
      as: api.member("admin"),
      headers: [version, type, ("upload-offset", "\(offset)")] + more
    )
  }

  @Test func `an upload is created, interrupted, resumed and becomes a file`() async throws {
    try await Self.open { api, files in
      let photo = FileShop.fakePhoto(150_000)
      let path = try await Self.create(api, files, size: photo.count)
      #expect(
        try await Self.patch(api, path, Array(photo.prefix(70_000)), at: 0).headers["upload-offset"]
          == "70000"
      )
      let head = try await api.send(.head, path, as: api.member("admin"), headers: [Self.version])
      #expect(head.status == 200 && head.headers["upload-offset"] == "70000")
      #expect(head.headers["upload-length"] == "150000" && head.headers["cache-control"] == "no-store")
      #expect(try await Self.patch(api, path, [1], at: 0).status == 409)
      let last = try await Self.patch(api, path, Array(photo.dropFirst(70_000)), at: 70_000)
      #expect(last.status == 204 && last.headers["upload-offset"] == "150000")
      let list = try await files.attachments.list(
        files.shop.acting("admin"),
        type: FileShop.type,
        id: files.shop.machine
      )
      #expect(list.map(\.originalDigest) == [SHA256.hash(photo)] && list.first?.name == "pump å.jpg")
    }
  }

  @Test func `a wrong checksum is 460 and keeps the offset`() async throws {
    try await Self.open { api, files in
      let photo = FileShop.fakePhoto(100)
      let path = try await Self.create(api, files, size: 100)
      var sha1 = SHA1Stream()
      sha1.update(photo)
      let digest = Base64.encode(sha1.digest())
      let wrong = try await Self.patch(
        api,
        path,
        FileShop.fakePhoto(100, seed: 1),
        at: 0,
        ("upload-checksum", "sha1 \(digest)")
      )
      #expect(wrong.status == 460)
      let head = try await api.send(.head, path, as: api.member("admin"), headers: [Self.version])
      #expect(head.headers["upload-offset"] == "0")
      let bad = try await Self.patch(api, path, photo, at: 0, ("upload-checksum", "md5 AAAA"))
      #expect(bad.status == 422)
      let right = try await Self.patch(api, path, photo, at: 0, ("upload-checksum", "sha1 \(digest)"))
      #expect(right.status == 204)
    }
  }

  @Test func `a cancelled upload is 410, and other versions are 412`() async throws {
    try await Self.open { api, files in
      let path = try await Self.create(api, files, size: 100)
      let other = try await api.send(.head, path, as: api.member("admin"))
      #expect(other.status == 412 && other.headers["tus-version"] == "1.0.0")
      let stranger = try await api.send(.head, path, as: api.member("owner"), headers: [Self.version])
      #expect(stranger.status == 404)
      let gone = try await api.send(.delete, path, as: api.member("admin"), headers: [Self.version])
      #expect(gone.status == 204)
      #expect(try await api.send(.head, path, as: api.member("admin"), headers: [Self.version]).status == 410)
      #expect(files.stored.isEmpty)
    }
  }

  @Test func `more bytes than announced, another content type and a bad length are refused`() async throws {
    try await Self.open { api, files in
      let path = try await Self.create(api, files, size: 100)
      #expect(try await Self.patch(api, path, FileShop.fakePhoto(40), at: 0).status == 204)
      #expect(try await Self.patch(api, path, FileShop.fakePhoto(101), at: 40).status == 413)
      let kept = try await api.send(.head, path, as: api.member("admin"), headers: [Self.version])
      #expect(kept.headers["upload-offset"] == "40")
      let plain = try await api.send(
        .patch,
        path,
        .bytes([1]),
        as: api.member("admin"),
        headers: [Self.version, ("content-type", "text/plain"), ("upload-offset", "0")]
      )
      #expect(plain.status == 415)
      let lengths = [
        "": 422, "-1": 422, "1e3": 422, "0": 422, "9223372036854775807": 413, "99999999999999999999": 413,
      ]
      for (length, status) in lengths {
        let answer = try await api.send(
          .post,
          "/v1/uploads",
          as: api.member("admin"),
          headers: [Self.version, ("upload-length", length), Self.metadata(files)]
        )
        #expect(answer.status == status, "\(length)")
      }
    }
  }

  @Test func `the server names its version and extensions to everybody`() async throws {
    try await Self.open { api, _ in
      let answer = try await api.send(.options, "/v1/uploads")
      #expect(answer.status == 204 && answer.headers["tus-version"] == "1.0.0")
      #expect(answer.headers["tus-extension"] == "creation,expiration,checksum,termination")
    }
  }
}
