import FettleClient
import FoundationEssentials
import SyncProtocol
import Testing

/// Pages are applied with their cursor, and do not overwrite what waits.
@Suite(.timeLimit(.minutes(60))) struct PullTests {
  @Test func `a pulled record is hidden by changes that wait, and shown when they are pulled too`()
    async throws
  {
    let (phone, client) = try await TestPhone.open()
    let (id, path) = (UUID(), "/v1/sync/exchange")
    try await TestPhone.pull(client, phone, [TestPhone.put(id, version: 1, ["description": "a"])])
    try await client.patch(TestPhone.type, id, ["description": "mine"])
    // The judgement and the first page come; the page with the effect is still to come.
    phone.transport.next(
      path,
      ScriptedTransport.exchange(
        [["no": 1, "result": "merged", "version": 3]],
        ScriptedTransport.page(
          [TestPhone.put(id, version: 2, ["description": "theirs"])],
          cursor: "c2",
          hasMore: true,
          checkpoint: 9
        )
      )
    )
    phone.transport.next("/v1/sync/changes") { _ in
      let (record, changes) = try await (client.records(TestPhone.type).find(id), client.changes)
      #expect(record?["description"] == "mine")
      #expect(changes.map(\.status) == [.uploading])
      return ScriptedTransport.response(
        ScriptedTransport.page(
          [TestPhone.put(id, version: 3, ["description": "merged"])],
          cursor: "c3",
          checkpoint: 9,
          acknowledged: 1
        )
      )
    }
    try await client.sync()
    let record = try #require(await client.records(TestPhone.type).find(id))
    #expect(record["description"] == "merged")
    #expect(record.version == 3)
    #expect(!record.isChanged)
    #expect(try await client.changes.map(\.status) == [.synced])
  }

  @Test func `a scope that may no longer be read is dropped, with drafts and the server's side of conflicts`()
    async throws
  {
    let (phone, client) = try await TestPhone.open()
    let (one, two, machine) = (UUID(), UUID(), UUID())
    var other = TestPhone.put(machine, version: 1, ["code": "RM"]).object ?? [:]
    other["type"] = "maintenance.machine"
    try await TestPhone.pull(
      client,
      phone,
      [one, two].map { TestPhone.put($0, version: 1, ["description": "secret"]) } + [.object(other)]
    )
    try await client.patch(TestPhone.type, two, ["priority": 1])
    phone.transport.next(
      "/v1/sync/exchange",
      ScriptedTransport.exchange(
        [["no": 1, "result": "conflict", "code": "stale", "server": ["description": "secret"]]],
        ScriptedTransport.page(cursor: "c2", acknowledged: 1, ["removed_scopes": [.string(TestPhone.type)]])
      )
    )
    try await client.sync()
    #expect(try await client.records(TestPhone.type).all().isEmpty)
    #expect(try await client.records("maintenance.machine").all().count == 1)
    let change = try #require(await client.conflicts.first)
    #expect(change.server == nil)
    #expect(change.fields == ["priority": 1])
  }

  @Test func `a scope that begins again loses what is not sent again, at its end`() async throws {
    let (phone, client) = try await TestPhone.open()
    let (kept, gone) = (UUID(), UUID())
    let records = [kept, gone].map { TestPhone.put($0, version: 1, ["description": "a"]) }
    try await TestPhone.pull(client, phone, records)
    phone.transport.next(
      "/v1/sync/changes",
      ScriptedTransport.page(
        cursor: "c2",
        hasMore: true,
        ["restarted_scopes": [.string(TestPhone.type)]]
      )
    )
    phone.transport.next("/v1/sync/changes") { _ in
      let records = try await client.records(TestPhone.type).all()
      #expect(records.count == 2)
      return ScriptedTransport.response(
        ScriptedTransport.page([TestPhone.put(kept, version: 2, ["description": "b"])], cursor: "c3")
      )
    }
    try await client.sync()
    #expect(try await client.records(TestPhone.type).all().map(\.id) == [kept])
  }

  @Test func `own records that are not counted any more are found by the digest, and dropped`() async throws {
    let (phone, client) = try await TestPhone.open()
    let (mine, left) = (UUID(), UUID())
    let scope = "\(TestPhone.type)!own"
    try await TestPhone.pull(
      client,
      phone,
      [mine, left].map { TestPhone.put($0, version: 1, ["description": "a"], scope: scope) }
    )
    let checksum = String(TestPhone.text(mine).filter { $0 != "-" }.suffix(16))
    let own: FieldValue = [["type": .string(TestPhone.type), "count": 1, "checksum": .string(checksum)]]
    phone.transport.next("/v1/sync/changes", ScriptedTransport.page(cursor: "c2", ["own": own]))
    phone.transport.next("/v1/sync/ids", ["ids": [.string(TestPhone.text(mine))], "has_more": false])
    try await client.sync()
    #expect(try await client.records(TestPhone.type).all().map(\.id) == [mine])
    phone.transport.next("/v1/sync/changes", ScriptedTransport.page(cursor: "c3", ["own": own]))
    try await client.sync()
    #expect(phone.transport.requests("/v1/sync/ids").count == 1)
  }

  @Test func `a page that comes too late changes nothing`() async throws {
    let (phone, client) = try await TestPhone.open()
    let id = UUID()
    phone.transport.next("/v1/sync/changes") { [phone] _ in
      // Another client of the same store, such as an extension of the app, was faster.
      try await TestPhone.pull(
        phone.client(),
        phone,
        [TestPhone.put(id, version: 2, ["description": "new"])],
        cursor: "c2"
      )
      return ScriptedTransport.response(
        ScriptedTransport.page([TestPhone.put(id, version: 1, ["description": "old"])], cursor: "c1")
      )
    }
    try await client.sync()
    #expect(try await client.records(TestPhone.type).find(id)?.version == 2)
  }

  @Test func `a change of the store is observed`() async throws {
    let (_, client) = try await TestPhone.open()
    var values = client.records(TestPhone.type).observe().makeAsyncIterator()
    #expect(try await values.next()?.isEmpty == true)
    let id = try await client.create(TestPhone.type, ["description": "hose"])
    #expect(try await values.next()?.map(\.id) == [id])
  }
}
