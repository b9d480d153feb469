import API
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Synchronization
import TestDatabase
import Testing

/// The job `sync.trim` forgets what no device needs, and nothing else.
@Suite(.timeLimit(.minutes(60))) struct SyncTrimTests {
  private static let entry = "maintenance.entry"

  @Test func `confirmed answers are forgotten, and unresolved ones never`() async throws {
    let api = try await TestDevice.api()
    var device = try await TestDevice.register(api, of: "user")
    let good = device.change(Self.entry, UUID(), "create", ["fields": .object(api.shop.fields())])
    let bad = device.change(Self.entry, UUID(), "delete")
    let last = device.change(Self.entry, UUID(), "create", ["fields": .object(api.shop.fields())])
    #expect(try await device.push([good, bad, last]).kinds == ["applied", "rejected", "applied"])
    #expect(try await Self.trim(api).items == 0)
    _ = try await device.push([], ["confirmed_no": 2])
    #expect(try await Self.trim(api).items == 1)
    // A number whose answer was confirmed cannot be new: a copy of the device sends it.
    #expect(try await device.push([good]).code == .deviceCloned)
    #expect(try await device.push([last]).results.first?["replayed"] == true)
    #expect(try await device.push([bad]).results.first?["replayed"] == true)
  }

  @Test func `old deletions are forgotten once every device has them, and an older cursor begins again`()
    async throws
  {
    let api = try await TestDevice.api()
    var early = try await TestDevice.register(api, of: "user")
    var late = try await TestDevice.register(api, of: "viewer")
    let ids = try await [api.shop.entry(), api.shop.entry()]
    _ = try await early.pull()
    _ = try await late.pull()
    _ = try await api.delete("/v1/maintenance/entry/\(ids[0].text)", as: api.member("admin"))
    try await api.shop.take("start", ids[1])
    try await api.shop.engine.superuser.execute(
      "update core.feed set changed_at = now() - interval '181 days' where company_id = \(api.shop.company.id)"
    )
    #expect(try await Self.trim(api).deletions == 0)
    #expect(try await early.pull().contains { $0["op"] == "delete" })
    #expect(try await Self.trim(api).deletions == 0)
    // A device that was not seen for half a year is not waited for.
    try await api.shop.engine.superuser.execute(
      "update core.device set last_pull_at = now() - interval '181 days' where id = \(late.id)"
    )
    #expect(try await Self.trim(api).deletions == 1)
    #expect(try await early.page().json["restarted_scopes"] == nil)
    let page = try await late.page()
    #expect(page.json["restarted_scopes"]?.array == ["maintenance.entry"])
    let entries = try await late.pull().filter { $0["type"]?.string == Self.entry }
    #expect(entries.map { $0["id"] } == [.string(ids[1].text)])
    let report = try await Verification(api.shop.engine.operators, catalogue: api.shop.engine.catalogue).run([
      api.shop.company
    ])
    #expect(report.findings.isEmpty, "\(report.findings)")
  }

  @Test func `a reading from the beginning goes on below the floor, page by page`() async throws {
    let api = try await TestDevice.api()
    let superuser = api.shop.engine.superuser
    var late = try await TestDevice.register(api, of: "viewer")
    let ids = try await [api.shop.entry(), api.shop.entry(), api.shop.entry()]
    _ = try await late.pull()
    let gone = try await api.shop.entry()
    _ = try await api.delete("/v1/maintenance/entry/\(gone.text)", as: api.member("admin"))
    try await api.shop.take("start", ids[2])
    try await superuser.execute(
      "update core.feed set changed_at = now() - interval '181 days' where company_id = \(api.shop.company.id)"
    )
    try await superuser.execute(
      "update core.device set last_pull_at = now() - interval '181 days' where id = \(late.id)"
    )
    #expect(try await Self.trim(api).deletions == 1)
    let new = try await TestDevice.register(api, of: "user")
    for device in [late, new] {
      var device = device
      var pages = 0
      var read: [String] = []
      while true {
        let page = try await device.page(limit: 1)
        read += page.json["changes"]?.array?.compactMap { $0.object?["id"]?.string } ?? []
        device.cursor = page.json["cursor"]?.string
        pages += 1
        guard page.json["has_more"]?.bool == true, pages < 50 else { break }
      }
      #expect(pages < 50, "the reading does not begin again at every page")
      #expect(Set(ids.map(\.text)).isSubset(of: read))
      #expect(read.count == Set(read).count)
    }
  }

  @Test func `the gate is taken first, so that trimming never holds a row that a writer needs`() async throws
  {
    let api = try await TestDevice.api()
    let company = api.shop.company.id
    let gone = try await api.shop.entry()
    _ = try await api.delete("/v1/maintenance/entry/\(gone.text)", as: api.member("admin"))
    _ = try await api.shop.entry()
    try await api.shop.engine.superuser.execute(
      "update core.feed set changed_at = now() - interval '181 days' where company_id = \(company)"
    )
    let trimming = Mutex<Task<SyncTrim.Outcome, any Error>?>(nil)
    try await api.shop.engine.superuser.transaction { tx in
      try tx.execute(FeedWriter.gate(company: company))
      trimming.withLock { $0 = Task { try await Self.trim(api) } }
      var isWaiting = false
      while !isWaiting {
        try tx.execute("select pg_stat_clear_snapshot(), pg_sleep(0.01)")
        isWaiting = try tx.value(
          """
          select exists (
            select from pg_stat_activity a
            where a.datname = current_database() and a.wait_event_type = 'Lock' and a.query like '%core.sync_gate%'
              and a.pid <> pg_backend_pid())
          """,
          as: Bool.self
        )
      }
      // A writer behind the gate writes the rows of its records again.
      try tx.execute("set local lock_timeout = '1s'")
      try tx.execute("update core.feed set version = version where company_id = \(company)")
    }
    let outcome = try await trimming.withLock(\.self)?.value
    #expect(outcome?.deletions == 1)
  }

  @Test func `the newest row stays, and only the scopes that lost rows get a floor`() async throws {
    let api = try await TestDevice.api()
    let company = api.shop.company.id
    let ids = try await [api.shop.entry(), api.shop.entry()]
    for id in ids { _ = try await api.delete("/v1/maintenance/entry/\(id.text)", as: api.member("admin")) }
    let superuser = api.shop.engine.superuser
    try await superuser.execute(
      "update core.feed set changed_at = now() - interval '181 days' where company_id = \(company)"
    )
    // The next number follows from the newest row, which is a deletion too.
    try await superuser.execute(
      """
      update core.feed set seq = (select max(f.seq) + 1 from core.feed f where f.company_id = \(company))
      where company_id = \(company) and record_id = \(ids[1])
      """
    )
    let newest: SQL = "select max(f.seq) from core.feed f where f.company_id = \(company)"
    let before = try await superuser.value(newest, as: Int64.self)
    let first = try await superuser.value(
      "select f.seq from core.feed f where f.company_id = \(company) and f.record_id = \(ids[0])",
      as: Int64.self
    )
    #expect(try await Self.trim(api).deletions == 1)
    #expect(try await superuser.value(newest, as: Int64.self) == before)
    let floors = try await superuser.rows(
      "select s.scope, s.seq from core.sync_floor s where s.company_id = \(company)",
      String.self,
      Int64.self
    )
    #expect(floors.map(\.0) == ["maintenance.entry"])
    #expect(floors.map(\.1) == [first])
    #expect(try await Self.trim(api).deletions == 0)
    let next = try await api.shop.entry()
    let seq = try await superuser.value(
      "select f.seq from core.feed f where f.company_id = \(company) and f.record_id = \(next)",
      as: Int64.self
    )
    #expect(seq == before + 1)
  }

  @Test func `more rows than a transaction takes are forgotten all the same`() async throws {
    let api = try await TestDevice.api()
    let company = api.shop.company.id
    let device = try await TestDevice.register(api, of: "user")
    let superuser = api.shop.engine.superuser
    try await superuser.execute(
      """
      insert into core.sync_item
        (company_id, device_id, no, status, record_type, record_id, op, request_hash, result)
      select \(company), \(device.id), n, 'synced', 'maintenance.entry', gen_random_uuid(), 'create',
        sha256(n::text::bytea), 'applied'
      from generate_series(1, 2500) n
      """
    )
    try await superuser.execute("update core.device set confirmed_no = 2400 where id = \(device.id)")
    #expect(try await Self.trim(api).items == 2_400)
    try await superuser.execute(
      """
      update core.sync_item set status = 'resolved', resolution = 'server',
        updated_at = now() - case when no > 2450 then interval '91 days' else '89 days' end
      where device_id = \(device.id)
      """
    )
    #expect(try await Self.trim(api).items == 50)
  }

  private static func trim(_ api: APIFixture) async throws -> SyncTrim.Outcome {
    try await SyncTrim(api.shop.engine.database.connect(as: "fettle_worker"), company: api.shop.company.id)
      .run()
  }
}
