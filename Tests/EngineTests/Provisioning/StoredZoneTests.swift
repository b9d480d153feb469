import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

/// Stored time zones that PostgreSQL does not know any more.
@Suite(.timeLimit(.minutes(60))) struct StoredZoneTests {
  private static let gone = "Mars/Olympus_Mons"

  private static func text(_ stored: ZoneHealth.Stored) -> String {
    "\(stored.place) \(stored.zone) \(stored.isUnknown ? "is unknown" : "has another name")"
  }

  @Test func `a company whose zone is gone works in UTC, and fails nobody else's reports`() async throws {
    // A database of its own, because an unknown zone is a finding about all companies.
    let engine = try await TrialApp.engine()
    let (shop, other) = (try await Workshop.open(in: engine), try await Workshop.open(in: engine))
    for company in [shop, other] {
      _ = try await company.entry("user", ["due_on": "2020-01-01"])
    }
    try await shop.engine.superuser.execute(
      "update core.company set timezone = \(Self.gone) where id = \(shop.company.id)"
    )
    // Every report view, over all companies.
    let views = try await shop.engine.superuser.rows(
      "select v.viewname from pg_views v where v.schemaname = 'report' order by 1",
      String.self
    )
    #expect(views.count > 15)
    for view in views {
      _ = try await shop.engine.superuser.rows(
        "select count(*) from (select x::text from report.\(identifier: view) x) y",
        Int.self
      )
    }
    let flags = try await shop.engine.superuser.rows(
      "select o.company, o.zone_unknown from report.v1_overdue o where o.company = any (\([shop.company.slug, other.company.slug]))",
      String.self,
      Bool.self
    )
    #expect(
      Dictionary(uniqueKeysWithValues: flags.map { ($0.0, $0.1) }) == [
        shop.company.slug: true, other.company.slug: false,
      ]
    )
    // People go on.
    let entry = try await shop.entry()
    try await shop.take("start", entry)
    let listed = try await shop.records.list(shop.acting("user"), type: "maintenance.entry", RecordQuery())
    #expect(listed.count == 2)

    let found = try await ZoneHealth(shop.engine.operators.database).run()
    let named = found.filter { $0.company == shop.company.slug }
    #expect(named.map(Self.text) == ["company \(Self.gone) is unknown"])
    #expect(!found.contains { $0.company == other.company.slug })
    await engine.close()
  }

  @Test func `the zones of sites, schedules and private profiles are checked too`() async throws {
    let engine = try await TrialApp.engine()
    let shop = try await Workshop.open(in: engine)
    let acting = shop.acting("user")
    let profile = try await shop.records.create(
      acting,
      type: "macros.profile",
      fields: ["timezone": "Asia/Calcutta"]
    )
    let stored = try await shop.records.show(acting, type: "macros.profile", id: profile.id)
    #expect(stored["timezone"] == "Asia/Kolkata")
    let site = try await shop.records.create(
      shop.acting("owner"),
      type: "solar.site",
      fields: ["name": "Roof", "timezone": "US/Pacific", "capacity_kw": 5, "source_kind": "push"]
    )
    let placed = try await shop.records.show(shop.acting("owner"), type: "solar.site", id: site.id)
    #expect(placed["timezone"] == "America/Los_Angeles")
    try await shop.tamper("update macros.profile set timezone = \(Self.gone) where id = \(profile.id)")
    try await shop.tamper("update solar.site set timezone = 'Japan' where id = \(site.id)")
    let found = try await ZoneHealth(shop.engine.operators.database).run()
      .filter { $0.company == shop.company.slug }
    #expect(
      found.map(Self.text) == [
        "macros.profile \(Self.gone) is unknown", "solar.site Japan has another name",
      ]
    )
    // A meal still gets its day, in UTC.
    _ = try await shop.records.create(acting, type: "macros.entry", fields: ["fat_g": 5])
    await engine.close()
  }
}
