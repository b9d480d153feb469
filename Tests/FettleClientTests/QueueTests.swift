import FettleClient
import FoundationEssentials
import SyncProtocol
import Testing

/// Changes are stored at once, sent in order, and judged once.
@Suite(.timeLimit(.minutes(60))) struct QueueTests {
  @Test func `a change is on the device and in the queue at once, also after a restart`() async throws {
    let (phone, client) = try await TestPhone.open()
    let id = try await client.create(TestPhone.type, ["description": "hose"])
    try await client.patch(TestPhone.type, id, ["priority": 2])
    let again = try phone.client()
    let record = try #require(await again.records(TestPhone.type).find(id))
    #expect(record.fields == ["description": "hose", "priority": 2])
    #expect(record.isChanged)
    #expect(try await again.pending.map(\.operation) == [.create, .patch])
    #expect(try await again.pending.map(\.status) == [.pending, .pending])
  }

  @Test func `a change of an unknown or deleted record leaves no trace`() async throws {
    let (_, client) = try await TestPhone.open()
    await #expect(throws: ClientError.self) {
      try await client.patch(TestPhone.type, UUID(), ["priority": 2])
    }
    let id = try await client.create(TestPhone.type, [:])
    try await client.delete(TestPhone.type, id)
    await #expect(throws: ClientError.self) { try await client.transition(TestPhone.type, id, "start") }
    #expect(try await client.records(TestPhone.type).all().isEmpty)
    #expect(try await client.pending.count == 2)
  }

  @Test func `a lost answer counts as an attempt, and the same bytes are sent again`() async throws {
    let (phone, client) = try await TestPhone.open()
    try await client.create(TestPhone.type, ["description": "hose"])
    phone.transport.next("/v1/sync/exchange") { _ in throw ClientError(.unanswered, "lost") }
    await #expect(throws: ClientError.self) { try await client.sync() }
    #expect(try await client.pending.map(\.attempts) == [1])
    phone.wait(60)
    try await phone.client().sync()
    let sent = try phone.transport.bodies("/v1/sync/exchange").compactMap { $0["push"]?["mutations"] }
    #expect(sent.count == 2)
    #expect(sent.first == sent.last)
    #expect(try await client.pending.isEmpty)
  }

  @Test func `the third lost answer is the last until a person retries; no network is no attempt`()
    async throws
  {
    let (phone, client) = try await TestPhone.open()
    try await client.create(TestPhone.type, ["description": "hose"])
    for _ in 0..<5 {
      phone.transport.next("/v1/sync/exchange") { _ in throw ClientError(.offline, "no network") }
      await #expect(throws: ClientError.self) { try await client.sync() }
    }
    #expect(try await client.pending.map(\.attempts) == [0])
    for _ in 0..<3 {
      phone.transport.next("/v1/sync/exchange") { _ in throw ClientError(.unanswered, "lost") }
      await #expect(throws: ClientError.self) { try await client.sync() }
    }
    let failed = try #require(await client.failed.first)
    #expect(failed.attempts == 3)
    try await client.sync()
    #expect(try await client.failed.count == 1)
    try await client.retry(failed.id)
    try await client.sync()
    #expect(try await client.unsynced == 0)
  }

  @Test func `lost answers fail no change that was sent with others; fewer are sent each time`() async throws
  {
    let (phone, client) = try await TestPhone.open()
    for _ in 0..<200 { try await client.create(TestPhone.type, ["description": "hose"]) }
    for _ in 0..<4 {
      phone.transport.next("/v1/sync/exchange") { _ in throw ClientError(.unanswered, "lost") }
      await #expect(throws: ClientError.self) { try await client.sync() }
    }
    #expect(try await client.pending.allSatisfy { $0.attempts == 0 })
    let sizes = try phone.transport.bodies("/v1/sync/exchange")
      .map { $0["push"]?["mutations"]?.array?.count ?? 0 }
    #expect(sizes == [200, 125, 31, 7])
    // One request that is answered ends the caution.
    try await client.sync()
    let rest = try phone.transport.bodies("/v1/sync/exchange").dropFirst(4)
      .map { $0["push"]?["mutations"]?.array?.count ?? 0 }
    #expect(rest == [1, 199])
    #expect(try await client.unsynced == 0)
  }

  @Test func `the app ends during an upload: the change is pending, and sent again`() async throws {
    let (phone, client) = try await TestPhone.open()
    try await client.create(TestPhone.type, ["description": "hose"])
    // The store is opened again while the first client waits for the answer, as after a crash.
    phone.transport.next("/v1/sync/exchange") { [phone] _ in
      #expect(try await client.pending.map(\.status) == [.uploading])
      let other = try phone.client()
      #expect(try await other.pending.map(\.status) == [.pending])
      try await other.sync()
      #expect(try await other.changes.map(\.status) == [.synced])
      throw ClientError(.unanswered, "the app ended")
    }
    await #expect(throws: ClientError.self) { try await client.sync() }
    #expect(try await client.changes.map(\.status) == [.synced])
  }

  @Test func `a patch waits for the judgement on the patch before, and is based on its version`() async throws
  {
    let (phone, client) = try await TestPhone.open()
    let id = UUID()
    try await TestPhone.pull(
      client,
      phone,
      [TestPhone.put(id, version: 4, ["description": "a", "priority": 1])]
    )
    try await client.patch(TestPhone.type, id, ["description": "b"])
    try await client.patch(TestPhone.type, id, ["description": "c"])
    try await client.patch(TestPhone.type, id, ["priority": 2])
    let path = "/v1/sync/exchange"
    // Somebody else changed another field: version 5 is theirs.
    phone.transport.next(
      path,
      ScriptedTransport.exchange(
        [["no": 1, "result": "merged", "version": 6]],
        ScriptedTransport.page(acknowledged: 1)
      )
    )
    phone.transport.next(
      path,
      ScriptedTransport.exchange(
        [["no": 2, "result": "applied", "version": 7]],
        ScriptedTransport.page(acknowledged: 2)
      )
    )
    phone.transport.next(
      path,
      ScriptedTransport.exchange(
        [["no": 3, "result": "merged", "version": 8]],
        ScriptedTransport.page(acknowledged: 3)
      )
    )
    try await client.sync()
    let sent = try phone.transport.bodies(path).compactMap { $0["push"]?["mutations"]?.array }
    #expect(sent.map { $0.compactMap { $0["no"]?.integer } } == [[1], [2], [3]])
    // The device knew version 4 of the priority, and its own version 6 of the description.
    #expect(sent.map { $0.first?["base_version"]?.integer } == [4, 6, 4])
  }

  @Test func `changes of a record wait behind one that waits for a person, others do not`() async throws {
    let (phone, client) = try await TestPhone.open()
    let (one, two) = (UUID(), UUID())
    let records = [one, two].map { TestPhone.put($0, version: 1, ["description": "a"]) }
    try await TestPhone.pull(client, phone, records)
    try await client.patch(TestPhone.type, one, ["description": "b"])
    let path = "/v1/sync/exchange"
    phone.transport.next(
      path,
      ScriptedTransport.exchange(
        [
          [
            "no": 1, "result": "conflict", "version": 2, "code": "stale", "fields": ["description"],
            "server": ["description": "x"],
          ]
        ],
        ScriptedTransport.page(acknowledged: 1)
      )
    )
    phone.transport.next("/v1/sync/status", try await Self.listing(client.device))
    try await client.sync()
    let conflict = try #require(await client.conflicts.first)
    #expect(conflict.conflictingFields == ["description"])
    #expect(conflict.server == ["description": "x"])
    try await client.transition(TestPhone.type, one, "start")
    try await client.patch(TestPhone.type, two, ["description": "c"])
    phone.transport.next("/v1/sync/status", try await Self.listing(client.device))
    try await client.sync()
    let sent = try phone.transport.bodies(path).compactMap { $0["push"]?["mutations"]?.array }
    #expect(sent.map { $0.compactMap { $0["no"]?.integer } } == [[1], [3]])
    #expect(try await client.pending.map(\.id.number) == [2])
    try await client.resolve(conflict.id, taking: .mine)
    let device = try await client.device
    phone.transport.next(
      "/v1/sync/items/\(TestPhone.text(device))/1/resolve",
      ["status": "resolved", "version": 3]
    )
    try await client.sync()
    #expect(try await client.conflicts.isEmpty)
    #expect(try await client.unsynced == 0)
  }

  private static func listing(_ device: UUID) -> FieldValue {
    [
      "devices": [],
      "items": [["device_id": .string(TestPhone.text(device)), "no": 1, "status": "conflict"]],
    ]
  }

  @Test func `the refusal of a decision is shown, and the change can be sent again`() async throws {
    let (phone, client) = try await TestPhone.open()
    try await client.create(TestPhone.type, ["description": "a"])
    let conflict: FieldValue = ["no": 1, "result": "conflict", "code": "quota_exceeded", "detail": "full"]
    let page = ScriptedTransport.page(acknowledged: 1)
    phone.transport.next("/v1/sync/exchange", ScriptedTransport.exchange([conflict], page))
    for _ in 0..<2 { phone.transport.next("/v1/sync/status", try await Self.listing(client.device)) }
    try await client.sync()
    let waiting = try #require(await client.conflicts.first)
    try await client.resolve(waiting.id, taking: .mine)
    let path = "/v1/sync/items/\(TestPhone.text(waiting.id.device))/1/resolve"
    let problem: FieldValue = ["code": "not_found", "detail": "there is no such machine", "status": 404]
    phone.transport.next(path, problem, status: 404)
    try await client.sync()
    let refused = try #require(await client.conflicts.first)
    #expect(refused.decision == nil && refused.detail == "there is no such machine")
    try await client.retry(waiting.id)
    try await client.sync()
    #expect(
      phone.transport.requests("/v1/sync/items/\(TestPhone.text(waiting.id.device))/1/retry").count == 1
    )
    #expect(try await client.unsynced == 0)
  }

  @Test func `a conflict that was resolved elsewhere is resolved here`() async throws {
    let (phone, client) = try await TestPhone.open()
    try await client.create(TestPhone.type, ["description": "hose"])
    phone.transport.next(
      "/v1/sync/exchange",
      ScriptedTransport.exchange(
        [["no": 1, "result": "rejected", "code": "forbidden"]],
        ScriptedTransport.page(acknowledged: 1)
      )
    )
    try await client.sync()
    #expect(try await client.changes.map(\.status) == [.resolved])
    #expect(try await client.records(TestPhone.type).all().isEmpty)
  }

  @Test func `the server hears of waiting changes, once for each status`() async throws {
    let (phone, client) = try await TestPhone.open()
    try await client.create(TestPhone.type, ["description": "hose"])
    for _ in 0..<3 {
      phone.transport.next("/v1/sync/exchange") { _ in throw ClientError(.unanswered, "lost") }
      await #expect(throws: ClientError.self) { try await client.sync() }
    }
    try await client.sync()
    let queue = try #require(phone.transport.bodies("/v1/sync/exchange").last?["push"]?["queue"])
    #expect(queue["failed"] == 1)
    #expect(queue["items"]?.array?.map { $0["status"] } == ["failed"])
    let count = phone.transport.requests("/v1/sync/exchange").count
    try await client.sync()
    #expect(phone.transport.requests("/v1/sync/exchange").count == count)
  }
}
