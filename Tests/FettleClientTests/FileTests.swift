import FettleClient
import FoundationEssentials
import Testing

/// Files are sent once, after their record.
@Suite(.timeLimit(.minutes(2))) struct FileTests {
  private static let wait = FieldValue.object(["state": "uploading"])

  private static func addPhoto(_ client: Client, _ record: UUID, _ name: String, _ bytes: [UInt8] = [1])
    async throws
    -> UUID
  {
    try await client.addFile(
      to: TestPhone.type,
      record,
      kind: "photo",
      name: name,
      mediaType: "image/jpeg",
      bytes: bytes
    )
  }

  @Test func `a file is sent after its record, and its repetition finds what was sent`() async throws {
    let (phone, client) = try await TestPhone.open()
    let record = try await client.create(TestPhone.type, ["description": "hose"])
    let file = try await Self.addPhoto(client, record, "hose.jpg", [1, 2, 3])
    #expect(try await client.records(TestPhone.type).find(record)?.files.map(\.state) == [.waiting])
    #expect(try await client.unsynced == 2)
    let (announce, put) = (
      "/v1/maintenance/entry/\(TestPhone.text(record))/files", "/v1/files/\(TestPhone.text(file))"
    )
    phone.transport.next(announce, Self.wait, status: 201)
    phone.transport.next(put) { _ in throw ClientError(.unanswered, "lost") }
    await #expect(throws: ClientError.self) { try await client.sync() }
    phone.transport.next(announce, ["state": "pending"], status: 201)
    try await client.sync()
    #expect(phone.transport.requests(put).map(\.body) == [[1, 2, 3]])
    let ids = try phone.transport.bodies(announce).map { $0["id"]?.string }
    #expect(ids == [file, file].map(TestPhone.text))
    #expect(try await client.unsynced == 0)
  }

  @Test func `a refused file is failed until a person retries it, and keeps no other from being sent`()
    async throws
  {
    let (phone, client) = try await TestPhone.open()
    let record = UUID()
    try await TestPhone.pull(client, phone, [TestPhone.put(record, version: 1, [:])])
    let announce = "/v1/maintenance/entry/\(TestPhone.text(record))/files"
    for name in ["a.jpg", "b.jpg"] {
      _ = try await Self.addPhoto(client, record, name)
      phone.wait(1)
    }
    phone.transport.next(announce, ["code": "quota_exceeded", "status": 409], status: 409)
    phone.transport.next(announce, Self.wait, status: 201)
    #expect(try await client.sync().files == 1)
    let files = try #require(await client.records(TestPhone.type).find(record)).files
    let failed = try #require(files.first { $0.state == .failed(code: "quota_exceeded") })
    #expect(failed.name == "a.jpg")
    try await client.retryFile(failed.id)
    phone.transport.next(announce, Self.wait, status: 201)
    #expect(try await client.sync().files == 1)
  }

  @Test func `a file that another request is sending waits for its end, however often it is tried`()
    async throws
  {
    let (phone, client) = try await TestPhone.open()
    let record = UUID()
    try await TestPhone.pull(client, phone, [TestPhone.put(record, version: 1, [:])])
    let file = try await Self.addPhoto(client, record, "hose.jpg")
    let announce = "/v1/maintenance/entry/\(TestPhone.text(record))/files"
    // The request of a server that was killed has the upload for a minute.
    for _ in 0..<4 {
      phone.transport.next(announce, Self.wait, status: 201)
      phone.transport.next(
        "/v1/files/\(TestPhone.text(file))",
        ["code": "stale", "status": 409],
        status: 409
      )
      #expect(try await client.sync().files == 0)
    }
    #expect(try await client.records(TestPhone.type).find(record)?.files.map(\.state) == [.waiting])
    phone.transport.next(announce, Self.wait, status: 201)
    #expect(try await client.sync().files == 1)
  }

  @Test func `a file is downloaded at its first use`() async throws {
    let (phone, client) = try await TestPhone.open()
    let id = UUID()
    phone.transport.next("/v1/files/\(TestPhone.text(id))/content") { _ in
      Response(status: 200, body: [7, 8])
    }
    let path = try await client.file(id)
    #expect(try await client.file(id) == path)
    #expect([UInt8](try Data(contentsOf: URL(filePath: path))) == [7, 8])
    #expect(phone.transport.requests("/v1/files/\(TestPhone.text(id))/content").count == 1)
  }
}
