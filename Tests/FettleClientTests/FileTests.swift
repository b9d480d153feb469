import FettleClient
import FoundationEssentials
import SyncProtocol
import Testing

/// Files are changes in the queue; their bytes are sent when the change is applied, and resumed where they stopped.
@Suite(.timeLimit(.minutes(60))) struct FileTests {
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

  private static func upload(_ file: UUID) -> String { "/v1/uploads/\(TestPhone.text(file))" }

  /// The answer about an upload.
  private static func answer(_ offset: Int, of length: Int? = nil, status: Int = 200)
    -> ScriptedTransport.Step
  {
    var headers = ["upload-offset": "\(offset)"]
    if let length { headers["upload-length"] = "\(length)" }
    return { [headers] _ in Response(status: status, headers: headers) }
  }

  private static func refusal(_ code: String, _ status: Int, headers: [String: String] = [:])
    -> ScriptedTransport.Step
  {
    let body = FieldValue.object(["code": .string(code), "status": .integer(status)]).description
    return { _ in Response(status: status, headers: headers, body: Array(body.utf8)) }
  }

  /// A phone with a record of the server and a file of it.
  private static func open(_ bytes: [UInt8] = [1, 2, 3]) async throws -> (TestPhone, Client, UUID, UUID) {
    let (phone, client) = try await TestPhone.open()
    let record = UUID()
    try await TestPhone.pull(client, phone, [TestPhone.put(record, version: 1, [:])])
    return (phone, client, record, try await addPhoto(client, record, "hose.jpg", bytes))
  }

  private static func state(_ client: Client, _ record: UUID) async throws -> [LocalFile.State]? {
    try await client.records(TestPhone.type).find(record)?.files.map(\.state)
  }

  @Test func `a file is a change in its place, and its bytes follow when the changes are applied`()
    async throws
  {
    let (phone, client) = try await TestPhone.open()
    let record = try await client.create(TestPhone.type, ["description": "hose"])
    let file = try await Self.addPhoto(client, record, "hose.jpg", [1, 2, 3])
    try await client.transition(TestPhone.type, record, "complete")
    #expect(try await Self.state(client, record) == [.waiting])
    #expect(try await client.unsynced == 3)
    phone.transport.next(Self.upload(file), Self.answer(0, of: 3))
    phone.transport.next(Self.upload(file)) { _ in throw ClientError(.unanswered, "lost") }
    await #expect(throws: ClientError.self) { try await client.sync() }
    let mutations = try phone.transport.bodies("/v1/sync/exchange").first?["push"]?["mutations"]?.array ?? []
    #expect(mutations.compactMap { $0["op"]?.string } == ["create", "attach", "transition"])
    #expect(
      mutations[1]["file"] == [
        "id": .string(TestPhone.text(file)), "kind": "photo", "name": "hose.jpg", "size": 3,
      ]
    )
    #expect(mutations[1]["fields"] == nil && mutations[1]["base_version"] == nil)
    // The server got two bytes before the connection broke.
    phone.transport.next(Self.upload(file), Self.answer(2, of: 3))
    phone.transport.next(Self.upload(file), Self.answer(3, status: 204))
    #expect(try await client.sync().files == 1)
    let sent = phone.transport.requests(Self.upload(file))
    #expect(sent.map(\.method) == [.head, .patch, .head, .patch])
    #expect(sent.filter { $0.method == .patch }.map(\.body) == [[1, 2, 3], [3]])
    #expect(sent.last?.headers["upload-offset"] == "2")
    #expect(try await client.unsynced == 0)
  }

  @Test func `bytes whose last answer was lost are not sent again`() async throws {
    let (phone, client, _, file) = try await Self.open()
    phone.transport.next(Self.upload(file), Self.answer(3, of: 3))
    #expect(try await client.sync().files == 1)
    #expect(phone.transport.requests(Self.upload(file)).map(\.method) == [.head])
  }

  @Test(arguments: [(429, "rate_limited"), (503, "unavailable"), (500, "internal"), (502, "")])
  func `a busy server is no failed attempt of a change or a file, however often it is busy`(
    status: Int,
    code: String
  ) async throws {
    let (phone, client, record, file) = try await Self.open()
    try await client.patch(TestPhone.type, record, ["description": "x"])
    for pause in ["7", "7", "7", "7", "99999999999999999999999"] {
      phone.transport.next("/v1/sync/exchange", Self.refusal(code, status, headers: ["retry-after": pause]))
      let error = await #expect(throws: ClientError.self) { try await client.sync() }
      #expect(error?.kind == .unavailable && error?.retryAfter == .seconds(pause == "7" ? 7 : 86_400))
    }
    #expect(try await client.pending.map(\.attempts) == [0, 0])
    for _ in 0..<5 {
      phone.transport.next(Self.upload(file), Self.answer(0, of: 3))
      phone.transport.next(Self.upload(file), Self.refusal(code, status))
      await #expect(throws: ClientError.self) { try await client.sync() }
    }
    #expect(try await client.failed.isEmpty)
    #expect(try await Self.state(client, record) == [.waiting])
    phone.transport.next(Self.upload(file), Self.answer(0, of: 3))
    phone.transport.next(Self.upload(file), Self.answer(3, status: 204))
    #expect(try await client.sync().files == 1)
  }

  @Test func `a judgement that has to wait is no failed attempt, and says why it waits`() async throws {
    let (phone, client, _, _) = try await Self.open()
    for _ in 0..<5 {
      phone.transport.next(
        "/v1/sync/exchange",
        ScriptedTransport.exchange(
          [["no": 1, "result": "retry", "code": "unavailable", "detail": "the record is locked"]],
          ScriptedTransport.page()
        )
      )
      #expect(try await client.sync().waiting == 1)
    }
    #expect(try await client.pending.map(\.attempts) == [0])
    #expect(try await client.waiting.map(\.reason) == ["unavailable: the record is locked"])
  }

  @Test func `a file of a refused change waits with a reason, is not sent, and ends with the decision`()
    async throws
  {
    let (phone, client, record, file) = try await Self.open()
    phone.transport.next(
      "/v1/sync/exchange",
      ScriptedTransport.exchange(
        [["no": 1, "result": "conflict", "code": "wrong_state", "detail": "it is completed"]],
        ScriptedTransport.page(acknowledged: 1)
      )
    )
    let change = try #require(try await client.changes.first)
    phone.transport.always("/v1/sync/status") { _ in
      ScriptedTransport.response([
        "items": [["device_id": .string(TestPhone.text(change.id.device)), "no": 1, "status": "conflict"]]
      ])
    }
    let report = try await client.sync()
    #expect(report.conflicts == 1 && report.files == 0 && report.waiting == 1)
    #expect(try await client.waiting.map(\.reason) == ["conflict, wrong_state: it is completed"])
    #expect(try await client.waiting.map(\.needsDecision) == [true])
    #expect(try await Self.state(client, record) == [.failed(code: "wrong_state")])
    #expect(phone.transport.requests(Self.upload(file)).isEmpty)
    try await client.discardFile(file)
    #expect(try await client.sync().waiting == 0)
    #expect(try await client.unsynced == 0)
  }

  @Test func `bytes that are refused fail the file, and keep no other from being sent`() async throws {
    let (phone, client, record, file) = try await Self.open()
    phone.wait(1)
    let second = try await Self.addPhoto(client, record, "b.jpg")
    phone.transport.next(Self.upload(file), Self.answer(0, of: 3))
    phone.transport.next(Self.upload(file), Self.refusal("unsupported_media", 415))
    phone.transport.next(Self.upload(second), Self.answer(0, of: 1))
    phone.transport.next(Self.upload(second), Self.answer(1, status: 204))
    let report = try await client.sync()
    #expect(report.files == 1 && report.failed == 1 && report.waiting == 1)
    let reasons = try await client.waiting.map(\.reason)
    #expect(reasons.first??.hasPrefix("failed, unsupported_media") == true)
    // What was given up is told to the server, which still waits for the bytes.
    try await client.discardFile(file)
    phone.transport.next("/v1/files/\(TestPhone.text(file))", ["state": "awaited"])
    try await client.sync()
    #expect(phone.transport.requests("/v1/files/\(TestPhone.text(file))").map(\.method) == [.get, .delete])
    #expect(try await client.unsynced == 0)
  }

  @Test func `a file that another request is sending waits for its end, however often it is tried`()
    async throws
  {
    let (phone, client, record, file) = try await Self.open()
    // The request of a server that was killed has the upload for a minute.
    for _ in 0..<4 {
      phone.transport.next(Self.upload(file), Self.answer(0, of: 3))
      phone.transport.next(Self.upload(file), Self.refusal("stale", 409))
      #expect(try await client.sync().files == 0)
    }
    #expect(try await Self.state(client, record) == [.waiting])
    #expect(try await client.waiting.allSatisfy { $0.reason != nil })
    phone.transport.next(Self.upload(file), Self.answer(0, of: 3))
    phone.transport.next(Self.upload(file), Self.answer(3, status: 204))
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
