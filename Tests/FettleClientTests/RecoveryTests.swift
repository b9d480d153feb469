import FettleClient
import FoundationEssentials
import SyncProtocol
import Synchronization
import Testing

/// Restored servers, copied stores and servers that do not understand.
@Suite(.timeLimit(.minutes(60))) struct RecoveryTests {
  @Test func `after a restore, forgotten changes are sent again under their numbers, and scopes begin again`()
    async throws
  {
    let (phone, client) = try await TestPhone.open()
    for name in ["kept", "forgotten"] {
      try await client.create(TestPhone.type, ["description": .string(name)])
    }
    let stale = UUID()
    phone.transport.next(
      "/v1/sync/exchange",
      ScriptedTransport.exchange(
        [["no": 1, "result": "applied", "version": 1], ["no": 2, "result": "applied", "version": 1]],
        ScriptedTransport.page([TestPhone.put(stale, version: 1, [:])], acknowledged: 2)
      )
    )
    try await client.sync()
    let first = try phone.transport.bodies("/v1/sync/exchange").first?["push"]?["mutations"]?.array
    phone.transport.next(
      "/v1/sync/changes",
      ["code": "resync_required", "reason": "restored", "status": 410],
      status: 410
    )
    phone.transport.next("/v1/sync/known", ["nos": [1]])
    phone.transport.next("/v1/sync/exchange") { request in
      let body = try FieldValue(parsing: String(decoding: request.body, as: UTF8.self))
      #expect(body["cursor"] == nil)
      #expect(body["push"]?["epoch"] == nil)
      #expect(body["push"]?["confirmed_no"] == 1)
      #expect(body["push"]?["mutations"]?.array == first.map { Array($0.dropFirst()) })
      return ScriptedTransport.response(
        ScriptedTransport.exchange(
          [["no": 2, "result": "applied", "version": 1]],
          ScriptedTransport.page(acknowledged: 2, epoch: "e2")
        )
      )
    }
    try await client.sync()
    #expect(try phone.transport.bodies("/v1/sync/known").first?["nos"] == [1, 2])
    #expect(try await client.changes.map(\.status) == [.synced, .synced])
    #expect(try await client.records(TestPhone.type).find(stale) == nil)
  }

  @Test func `another epoch in a page is a restore too`() async throws {
    let (phone, client) = try await TestPhone.open()
    let id = UUID()
    try await TestPhone.pull(client, phone, [TestPhone.put(id, version: 1, [:])])
    phone.transport.next("/v1/sync/changes", ScriptedTransport.page(cursor: "c2", epoch: "e2"))
    phone.transport.next("/v1/sync/changes", ScriptedTransport.page(cursor: "c3", epoch: "e2"))
    try await client.sync()
    #expect(
      phone.transport.requests("/v1/sync/changes").map { $0.target.contains("cursor") } == [
        false, true, false,
      ]
    )
    #expect(try await client.records(TestPhone.type).all().isEmpty)
  }

  @Test
  func `a copied store becomes a new device: what may have been applied is asked for first, the rest moves`()
    async throws
  {
    let (phone, client) = try await TestPhone.open()
    try await client.create(TestPhone.type, ["description": "sent"])
    phone.transport.next("/v1/sync/exchange") { _ in throw ClientError(.unanswered, "lost") }
    await #expect(throws: ClientError.self) { try await client.sync() }
    try await client.create(TestPhone.type, ["description": "unsent"])
    let old = try await client.device
    phone.transport.next("/v1/sync/exchange", ["code": "device_cloned", "no": 2, "status": 409], status: 409)
    let error = await #expect(throws: ClientError.self) { try await client.sync() }
    #expect(error?.kind == .deviceCloned)
    let new = try await client.device
    #expect(new != old)
    try await client.sync()
    let pushes = try phone.transport.bodies("/v1/sync/exchange").compactMap { $0["push"] }
    #expect(pushes.map { $0["device_id"]?.string } == [old, old, old, new].map(TestPhone.text))
    #expect(
      pushes.map { $0["mutations"]?.array?.compactMap { $0["no"]?.integer } } == [[1], [1, 2], [1], [1]]
    )
    #expect(pushes.last?["mutations"]?.array?.first?["fields"] == ["description": "unsent"])
    #expect(try await client.unsynced == 0)
  }

  @Test func `a change that the server cannot read fails alone`() async throws {
    let (phone, client) = try await TestPhone.open()
    for name in ["good", "bad", "good"] {
      try await client.create(TestPhone.type, ["description": .string(name)])
    }
    let problem: FieldValue = [
      "code": "invalid_input", "mutation": 1, "detail": "change 2 is bad", "status": 400,
    ]
    phone.transport.next("/v1/sync/exchange", problem, status: 400)
    try await client.sync()
    #expect(try await client.changes.map(\.status) == [.synced, .failed, .synced])
    #expect(try await client.failed.first?.detail == "change 2 is bad")
  }

  @Test(arguments: [(400, "invalid_json"), (422, "invalid_number"), (400, ""), (413, "payload_too_large")])
  func `a change that the server cannot name is found by halves`(status: Int, code: String) async throws {
    let (phone, client) = try await TestPhone.open()
    for name in ["good", "good", "bad", "good"] {
      try await client.create(TestPhone.type, ["description": .string(name)])
    }
    let problem: FieldValue = ["code": .string(code), "status": .integer(Int64(status))]
    phone.transport.always("/v1/sync/exchange") { request in
      let body = try FieldValue(parsing: String(decoding: request.body, as: UTF8.self))
      let mutations = body["push"]?["mutations"]?.array ?? []
      guard !mutations.contains(where: { $0["fields"] == ["description": "bad"] }) else {
        return ScriptedTransport.response(problem, status: status)
      }
      let results = mutations.map { mutation -> FieldValue in
        ["no": mutation["no"] ?? 0, "result": "applied", "version": 1]
      }
      return ScriptedTransport.response(
        ScriptedTransport.exchange(results, ScriptedTransport.page(acknowledged: 4))
      )
    }
    try await client.sync()
    #expect(try await client.changes.map(\.status) == [.synced, .synced, .failed, .synced])
  }

  @Test func `too large requests are halved`() async throws {
    let (phone, client) = try await TestPhone.open()
    for _ in 0..<4 { try await client.create(TestPhone.type, ["description": "hose"]) }
    phone.transport.next("/v1/sync/exchange", ["code": "payload_too_large", "status": 413], status: 413)
    try await client.sync()
    let counts = try phone.transport.bodies("/v1/sync/exchange").map {
      $0["push"]?["mutations"]?.array?.count
    }
    #expect(counts == [4, 2, 2])
  }

  @Test func `a company that refuses changes can still be read`() async throws {
    let (phone, client) = try await TestPhone.open()
    let id = UUID()
    try await client.create(TestPhone.type, ["description": "hose"])
    phone.transport.next("/v1/sync/exchange", ["code": "company_suspended", "status": 403], status: 403)
    phone.transport.next("/v1/sync/changes", ScriptedTransport.page([TestPhone.put(id, version: 1, [:])]))
    let error = await #expect(throws: ClientError.self) { try await client.sync() }
    #expect(error?.kind == .refused(code: "company_suspended"))
    #expect(try await client.records(TestPhone.type).find(id) != nil)
    #expect(try await client.pending.map(\.attempts) == [0])
  }

  @Test func `a server without long polls is asked again after a pause`() async throws {
    let (phone, client) = try await TestPhone.open()
    let waits = Atomic(0)
    phone.transport.always("/v1/sync/changes") { request in
      if request.target.contains("wait=25") {
        waits.add(1, ordering: .relaxed)
        return ScriptedTransport.response(["code": "invalid_input", "status": 400], status: 400)
      }
      guard waits.load(ordering: .relaxed) < 3 else {
        return ScriptedTransport.response(["code": "device_revoked", "status": 403], status: 403)
      }
      return ScriptedTransport.response(ScriptedTransport.page())
    }
    let error = await #expect(throws: ClientError.self) { try await client.run() }
    #expect(error?.kind == .deviceRevoked)
    #expect(waits.load(ordering: .relaxed) == 3)
  }
}
