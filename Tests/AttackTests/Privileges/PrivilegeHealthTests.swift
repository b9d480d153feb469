import Cluster
import Postgres
import Store
import TestDatabase
import Testing

/// Privileges that somebody adds on a live server, as `fettle doctor` reports them.
@Suite struct PrivilegeHealthTests {
  /// A change by a superuser, what undoes it, and the words of the finding.
  private struct Fault {
    let check: String
    let words: String
    let plant: [String]
    let undo: [String]
  }

  private static let faults = [
    Fault(
      check: "attributes",
      words: "fettle_app has createdb",
      plant: ["alter role fettle_app createdb"],
      undo: ["alter role fettle_app nocreatedb"]
    ),
    Fault(
      check: "attributes",
      words: "fettle_owner has login",
      plant: ["alter role fettle_owner login"],
      undo: ["alter role fettle_owner nologin"]
    ),
    Fault(
      check: "attributes",
      words: "reporter has createrole",
      plant: ["create role reporter login createrole in role fettle_report_company"],
      undo: ["drop role reporter"]
    ),
    Fault(
      check: "memberships",
      words: "fettle_app is a member of fettle_owner",
      plant: ["grant fettle_owner to fettle_app"],
      undo: ["revoke fettle_owner from fettle_app"]
    ),
    Fault(
      check: "memberships",
      words: "stranger is a member of fettle_worker",
      plant: ["create role stranger login in role fettle_worker"],
      undo: ["drop role stranger"]
    ),
    Fault(
      check: "memberships",
      words: "reporter is a member of pg_read_all_data",
      plant: ["create role reporter login in role fettle_report_company, pg_read_all_data"],
      undo: ["drop role reporter"]
    ),
    Fault(
      check: "grants",
      words: "PUBLIC may select on core.company.name",
      plant: ["grant select (name) on core.company to public"],
      undo: ["revoke select (name) on core.company from public"]
    ),
    Fault(
      check: "grants",
      words: "PUBLIC may execute on core.company_by_slug(text)",
      plant: ["grant execute on function core.company_by_slug to public"],
      undo: ["revoke execute on function core.company_by_slug from public"]
    ),
    Fault(
      check: "grants",
      words: "stranger may select on maintenance.entry",
      plant: ["create role stranger login", "grant select on maintenance.entry to stranger"],
      undo: ["revoke select on maintenance.entry from stranger", "drop role stranger"]
    ),
    Fault(
      check: "grants",
      words: "fettle_app owns core.company",
      plant: ["grant create on schema core to fettle_app", "alter table core.company owner to fettle_app"],
      undo: [
        "alter table core.company owner to fettle_owner", "revoke create on schema core from fettle_app",
      ]
    ),
    Fault(
      check: "policies",
      words: "row-level security is not forced on core.app_user",
      plant: ["alter table core.app_user no force row level security"],
      undo: ["alter table core.app_user force row level security"]
    ),
    Fault(
      check: "policies",
      words: "policy everyone of core.audit applies to PUBLIC",
      plant: ["create policy everyone on core.audit using (true)"],
      undo: ["drop policy everyone on core.audit"]
    ),
  ]

  @Test func `a privilege that nobody granted on purpose is found`() async throws {
    // Roles belong to the whole cluster, and other suites use the shared one.
    try await EphemeralCluster.withOwn { cluster in
      let database = try await TestDatabase.make(in: cluster)
      let superuser = database.connect(as: "postgres", poolSize: 1)
      let admin = database.connect(as: "fettle_admin", poolSize: 1)
      let checks = Set(Self.faults.map(\.check))
      let before = try await HealthCheck(admin).run().filter { checks.contains($0.check) }
      #expect(before.count == checks.count && before.allSatisfy { $0.state == .ok }, "\(before)")
      for fault in Self.faults {
        for statement in fault.plant { try await superuser.execute(SQL(trusted: statement)) }
        let found = try await HealthCheck(admin).run().first { $0.check == fault.check }
        #expect(found?.state == .failed && found?.remedy != nil, "\(fault.words)")
        #expect(found?.finding.contains(fault.words) == true, "\(fault.words): \(found?.finding ?? "")")
        for statement in fault.undo { try await superuser.execute(SQL(trusted: statement)) }
      }
      let after = try await HealthCheck(admin).run()
      #expect(after.allSatisfy { !checks.contains($0.check) || $0.state == .ok }, "\(after)")
      let strong = after.first { $0.check == "superusers" }
      #expect(strong?.state == .warning, "the superuser of this test is connected")
      #expect(strong?.finding == "connected: postgres (tests)")
      await superuser.close()
      await admin.close()
    }
  }
}
