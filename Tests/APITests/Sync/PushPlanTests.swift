import API
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import TestDatabase
import Testing

/// The statements of a push look rows up by their keys, also before PostgreSQL knows statistics of the tables.
@Suite(.timeLimit(.minutes(60)), .app("maintenance")) struct PushPlanTests {
  /// The rows of the company and the device; a push concerns few of them.
  private static let rows = 20_000

  @Test func `a table without statistics is not scanned for the changes of a push`() async throws {
    let engine = try await EngineFixture.open(TestDatabase.make())
    let api = try await TestDevice.api(Workshop.open(in: engine))
    let device = try await TestDevice.register(api, of: "admin")
    let company = api.shop.company.id
    let user = device.caller.user
    var options = TransactionOptions()
    options.settings = [.text("fettle.write", "import")]
    try await engine.superuser.execute("alter table core.sync_item set (autovacuum_enabled = false)")
    try await engine.superuser.execute("alter table maintenance.entry set (autovacuum_enabled = false)")
    try await engine.superuser.transaction(options) { tx in
      try tx.execute(
        """
        insert into core.sync_item (company_id, device_id, no, status, record_type, record_id, op, request_hash, result)
        select \(company), \(device.id), i, 'synced', 'maintenance.entry', gen_random_uuid(), 'create',
          sha256(i::text::bytea), 'applied'
        from generate_series(1, \(Int64(Self.rows))) i
        """
      )
      try tx.execute(
        """
        insert into maintenance.entry
          (company_id, id, created_by, updated_by, number, number_seq, machine_id, category_id, description, reported_on,
           created_by_name, status, status_category, history_seq, history_hash)
        select \(company), gen_random_uuid(), \(user), \(user), 'WO-' || 1000 + i, 1000 + i, \(api.shop.machine),
          \(api.shop.category), 'leaks', date '2025-01-01', 'Bench', 'pending', 'open', 1, sha256(i::text::bytea)
        from generate_series(1, \(Int64(Self.rows))) i
        """
      )
    }
    let type = try engine.catalogue.type("maintenance.entry")
    let found: [UUID] = try await engine.superuser.rows(
      "select e.id from maintenance.entry e where e.company_id = \(company) limit 100",
      UUID.self
    )
    let ids = found.inLockOrder
    var batch = StatusBatch()
    for id in ids {
      batch.append(
        id: id,
        status: "in_progress",
        category: .active,
        history: HistoryHead(seq: 2, hash: Array(repeating: 0, count: 32))
      )
    }
    let statements: [SQL] = [
      SyncItemStore.known(company: company, device: device.id, nos: Array(1...100)),
      type.standings(company: company, ids: ids),
      type.lock(company: company, each: ids, reading: ["description"], guards: [], readsWatchers: false),
      type.lockAsParents(company: company, each: ids, owners: type.ownerColumns, user: user),
      type.changed(company: company, each: ids, after: ids.map { _ in 0 }, exceptBy: device.id),
      type.whole(company: company, each: ids, guards: []),
      type.updateStatus(of: batch, company: company, user: user, now: Instant(microseconds: 0)),
    ]
    for statement in statements {
      let read = try await engine.services.database.transaction(
        .inside(company, user: user, mode: .engine)
      ) { tx in
        try tx.rows("explain (analyze, costs off, timing off, summary off) \(statement)", String.self)
      }
      #expect(
        !read.contains { $0.contains("Seq Scan on sync_item") || $0.contains("Seq Scan on entry") },
        "\(read)"
      )
      // A scan of the company's rows by an index would read all of them, once or for each key.
      let most = read.compactMap(Self.actualRows).max() ?? 0
      #expect(most <= 100, "\(read.joined(separator: "\n"))")
      let removed = read.contains { $0.contains("Rows Removed by Filter") }
      #expect(!removed, "\(read.joined(separator: "\n"))")
    }
    await engine.close()
  }

  /// The rows that a node of a plan returned.
  private static func actualRows(_ line: String) -> Int? {
    guard let text = line.split(separator: " ").first(where: { $0.hasPrefix("rows=") }) else { return nil }
    return Int(text.dropFirst("rows=".count))
  }
}
