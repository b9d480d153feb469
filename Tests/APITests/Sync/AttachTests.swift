import API
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

/// Files that devices attach in the order of their changes, and whose bytes arrive later.
@Suite(.timeLimit(.minutes(60))) struct AttachTests {
  private static let entry = "maintenance.entry"
  private static let photo = FileShop.fakePhoto(150_000)
  private static let version: (name: String, value: String) = ("tus-resumable", "1.0.0")

  /// The change that attaches a photo.
  private static func attach(
    _ device: inout TestDevice,
    _ record: UUID,
    _ file: UUID,
    kind: String = "photo",
    size: Int = photo.count
  ) -> JSONObject {
    let description: JSONObject = [
      "id": .string(file.text), "kind": .string(kind), "name": "hose.jpg", "size": .integer(size),
    ]
    return device.change(entry, record, "attach", ["file": .object(description)])
  }

  private static func head(_ device: TestDevice, _ file: UUID) async throws -> TestAnswer {
    let path = "/v1/uploads/\(file.text)"
    return try await device.api.send(.head, path, as: device.caller, headers: [version])
  }

  private static func send(_ device: TestDevice, _ file: UUID, _ bytes: [UInt8], at offset: Int) async throws
    -> TestAnswer
  {
    try await device.api.send(
      .patch,
      "/v1/uploads/\(file.text)",
      .stream(FileShop.parts(bytes), length: bytes.count),
      as: device.caller,
      headers: [
        version, ("content-type", "application/offset+octet-stream"), ("upload-offset", "\(offset)"),
      ]
    )
  }

  /// Creates an entry, starts it, attaches a photo and completes it, in one push.
  private static func finish(_ device: inout TestDevice, _ record: UUID, _ file: UUID) async throws {
    let answer = try await device.push([
      device.change(entry, record, "create", ["fields": .object(device.api.shop.fields())]),
      device.change(entry, record, "transition", ["transition": "start"]),
      attach(&device, record, file),
      device.change(entry, record, "transition", ["transition": "complete"]),
    ])
    #expect(answer.kinds == Array(repeating: "applied", count: 4), "\(answer.text)")
    #expect(answer.results.compactMap { $0["version"]?.number?.integer } == [1, 2, 3, 4])
  }

  @Test func `a photo of finished work arrives after the work, in parts, and only once`() async throws {
    let api = try await TestDevice.api()
    var device = try await TestDevice.register(api, of: "user")
    var other = try await TestDevice.register(api, of: "admin")
    let (record, file) = (UUID(), UUID())
    try await Self.finish(&device, record, file)
    let waiting = try #require(try await other.pull().last { $0["id"]?.string == record.text })
    #expect(waiting["files"]?.array?.first?.object?["state"] == "awaited")
    // Everybody sees that it is missing, and nobody gets bytes.
    let content = try await api.get("/v1/files/\(file.text)/content", as: device.caller)
    #expect(content.code == .wrongState)
    let begin = try await Self.head(device, file)
    #expect(begin.headers["upload-offset"] == "0" && begin.headers["upload-length"] == "150000")
    let part = try await Self.send(device, file, Array(Self.photo.prefix(70_000)), at: 0)
    #expect(part.headers["upload-offset"] == "70000", "\(part.text)")
    #expect(try await Self.head(device, file).headers["upload-offset"] == "70000")
    let rest = try await Self.send(device, file, Array(Self.photo.dropFirst(70_000)), at: 70_000)
    #expect(rest.status == 204, "\(rest.text)")
    let arrived = try await api.get("/v1/files/\(file.text)", as: device.caller).json
    #expect(arrived["state"] == "pending" && arrived["size"] == 150_000)
    let end = try await Self.head(device, file)
    #expect(end.headers["upload-offset"] == end.headers["upload-length"])
    // The record is as the device left it; the bytes changed the state of its file only.
    let told = try #require(try await other.pull().last { $0["id"]?.string == record.text })
    #expect(told["version"] == 4 && told["fields"]?.object?["status"] == "completed")
    #expect(told["files"]?.array?.first?.object?["state"] == "pending")
    #expect(try await api.shop.count("history", of: record) == 4)
  }

  @Test func `sending the bytes asks for the judgement only`() async throws {
    let api = try await TestDevice.api()
    var device = try await TestDevice.register(api, of: "user")
    // The record is deleted since, or the right to edit is gone: the bytes are accepted all the same.
    let (deleted, lost) = ((record: UUID(), file: UUID()), (record: UUID(), file: UUID()))
    try await Self.finish(&device, deleted.record, deleted.file)
    try await Self.finish(&device, lost.record, lost.file)
    let path = "/v1/maintenance/entry/\(deleted.record.text)"
    let gone = try await api.delete(path, as: api.member("admin"))
    #expect(gone.status < 300, "\(gone.text)")
    _ = try await Members(api.shop.engine.operators).setRole(
      api.shop.operatorContext,
      member: try #require(api.shop.members["user"]).email,
      role: "viewer"
    )
    for file in [deleted.file, lost.file] {
      let sent = try await Self.send(device, file, Self.photo, at: 0)
      #expect(sent.status == 204, "\(sent.text)")
    }
    let states = try await api.shop.engine.superuser.rows(
      "select a.state from core.attachment a where a.company_id = \(api.shop.company.id)",
      String.self
    )
    #expect(states == ["pending", "pending"])
  }

  @Test func `attaching is judged at its number, under the state of that moment`() async throws {
    let api = try await TestDevice.api()
    var device = try await TestDevice.register(api, of: "user")
    let (record, early, late) = (UUID(), UUID(), UUID())
    try await Self.finish(&device, record, early)
    let answer = try await device.push([
      Self.attach(&device, record, late), Self.attach(&device, UUID(), UUID()),
    ])
    #expect(answer.kinds == ["conflict", "rejected"], "\(answer.text)")
    #expect(answer.results.compactMap { $0["code"]?.string } == ["wrong_state", "not_found"])
    #expect(try await Self.head(device, late).status == 404)
    #expect(try await Self.send(device, late, Self.photo, at: 0).status == 404)
    // Nobody else may send the bytes of the early one.
    let other = try await TestDevice.register(api, of: "admin")
    #expect(try await Self.send(other, early, Self.photo, at: 0).status == 404)
  }

  @Test func `a repeated attachment is one file, and another one under its id is a conflict`() async throws {
    let api = try await TestDevice.api()
    var device = try await TestDevice.register(api, of: "user")
    let (record, file) = (UUID(), UUID())
    let create = device.change(Self.entry, record, "create", ["fields": .object(api.shop.fields())])
    let attach = Self.attach(&device, record, file)
    #expect(try await device.push([create, attach]).kinds == ["applied", "applied"])
    let replay = try await device.push([create, attach])
    #expect(replay.results.map { $0["replayed"] == true } == [true, true])
    // A device that lost its numbers, and one that uses an id twice.
    let again = try await device.push([Self.attach(&device, record, file)])
    #expect(again.kinds == ["applied"] && again.results.first?["version"] == 2, "\(again.text)")
    let second = UUID()
    let other = try await device.push([
      device.change(Self.entry, second, "create", ["fields": .object(api.shop.fields())]),
      Self.attach(&device, second, file),
    ])
    #expect(other.kinds == ["applied", "conflict"], "\(other.text)")
    #expect(other.results.last?["code"] == "already_exists")
    let files = try await api.get("/v1/maintenance/entry/\(record.text)/files", as: device.caller)
    #expect(files.items.count == 1)
  }

  @Test func `a wrong file is refused with a reason, and the changes beside it are applied`() async throws {
    let api = try await TestDevice.api()
    var device = try await TestDevice.register(api, of: "user")
    for (kind, size, code) in [("song", 10, "invalid_input"), ("photo", 900_000_000, "payload_too_large")] {
      let record = UUID()
      let answer = try await device.push([
        device.change(Self.entry, record, "create", ["fields": .object(api.shop.fields())]),
        Self.attach(&device, record, UUID(), kind: kind, size: size),
      ])
      #expect(answer.kinds == ["applied", "rejected"], "\(answer.text)")
      #expect(answer.results.last?["code"]?.string == code)
    }
    // Bytes of no accepted type end the waiting.
    let (record, file) = (UUID(), UUID())
    try await Self.finish(&device, record, file)
    let sent = try await Self.send(device, file, Array(repeating: 7, count: Self.photo.count), at: 0)
    #expect(sent.code == .unsupportedMedia, "\(sent.text)")
    #expect(try await api.get("/v1/files/\(file.text)", as: device.caller).json["state"] == "refused")
  }

  @Test func `an expired upload of an awaited file begins again, and its uploader may give it up`()
    async throws
  {
    let api = try await TestDevice.api()
    var device = try await TestDevice.register(api, of: "user")
    let (one, two) = (UUID(), UUID())
    try await Self.finish(&device, UUID(), one)
    try await Self.finish(&device, UUID(), two)
    _ = try await Self.send(device, one, Array(Self.photo.prefix(10)), at: 0)
    try await api.shop.engine.superuser.execute(
      "update core.upload set expires_at = now() - interval '1 second' where id = \(one)"
    )
    #expect(try await Self.head(device, one).headers["upload-offset"] == "0")
    #expect(try await Self.send(device, one, Self.photo, at: 0).status == 204)
    // The records are completed: what has come stays.
    #expect(try await api.delete("/v1/files/\(one.text)", as: device.caller).status >= 400)
    #expect(try await api.delete("/v1/files/\(two.text)", as: device.caller).status == 204)
    #expect(try await Self.head(device, two).status == 404)
  }

  @Test func `awaited files count towards the quota of bytes once, before and after they arrive`()
    async throws
  {
    let api = try await TestDevice.api()
    var device = try await TestDevice.register(api, of: "user")
    let company = api.shop.company.id
    func used() async throws -> Int {
      try await api.services.database.transaction(.inside(company)) { tx in
        try tx.value("select core.stored_bytes()", as: Int.self)
      }
    }
    let file = UUID()
    try await Self.finish(&device, UUID(), file)
    #expect(try await used() == 150_000)
    _ = try await Self.send(device, file, Array(Self.photo.prefix(10)), at: 0)
    #expect(try await used() == 150_000)
    _ = try await Self.send(device, file, Array(Self.photo.dropFirst(10)), at: 10)
    #expect(try await used() == 150_000)
  }
}
