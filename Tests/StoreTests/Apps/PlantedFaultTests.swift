import Domain
import Postgres
import Store
import TestDatabase
import Testing

/// An installation refuses each planted mistake with its own code, and leaves nothing behind.
@Suite(.serialized, .timeLimit(.minutes(60))) struct PlantedFaultTests {
  @Test(arguments: PlantedFault.manifest)
  func `a fault in the page of YAML is refused`(_ fault: PlantedFault) async throws {
    try await refuse(fault)
  }

  @Test(arguments: PlantedFault.tables)
  func `a table or view that does not fit is refused`(_ fault: PlantedFault) async throws {
    try await refuse(fault)
  }

  @Test(arguments: PlantedFault.sql)
  func `SQL that does what an app may not is refused`(_ fault: PlantedFault) async throws {
    try await refuse(fault)
  }

  private func refuse(_ fault: PlantedFault) async throws {
    let admin = try await Ground.shared.admin()
    let package = try fault.app().package()
    let error = try await Refusal.of { _ = try await AppInstaller(admin).install(package) }
    let findings = error.details["findings"]?.array?.compactMap(\.object) ?? []
    let codes = findings.map { "\($0["code"]?.string ?? "") at \($0["path"]?.string ?? "")" }
    let isFound = findings.contains { finding in
      finding["code"]?.string == fault.code && finding["path"]?.string?.contains(fault.place) == true
    }
    #expect(isFound, "\(codes): \(error)")
    #expect(findings.allSatisfy { $0["hint"]?.string?.isEmpty == false })
    let left = try await admin.value(
      """
      select (select count(*) from pg_namespace where nspname like 'orchard%')
        + (select count(*) from core.app where name = 'orchard')
        + (select count(*) from core.permission where name like 'orchard.%')
        + (select count(*) from core.migration where app = 'orchard')
        + (select count(*) from core.routine where app = 'orchard')
      """,
      as: Int64.self
    )
    #expect(left == 0)
  }

  @Test func `a schema that is there already is not taken over`() async throws {
    let database = try await TestDatabase.make()
    let superuser = database.connect(as: "postgres", poolSize: 1)
    try await superuser.execute("create schema orchard")
    let admin = database.connect(poolSize: 1)
    let package = try ExampleApp.read().package()
    let error = try await Refusal.of { _ = try await AppInstaller(admin).install(package) }
    #expect(error.details["finding"]?.string == "schema_taken", "\(error)")
    await admin.close()
    await superuser.close()
  }

  @Test func `an upgrade that switches row-level security off is refused`() async throws {
    let database = try await TestDatabase.make()
    let admin = database.connect(poolSize: 1)
    _ = try await AppInstaller(admin).install(ExampleApp.read().package())
    let next = try ExampleApp.read().upgraded()
      .adding("changes/0002_open.sql", "alter table orchard.tree disable row level security;")
    let error = try await Refusal.of { _ = try await AppInstaller(admin).install(next.package()) }
    #expect(error.details["finding"]?.string == "row_security_disabled", "\(error)")
    await admin.close()
  }

  @Test func `every planted fault was read`() {
    #expect(PlantedFault.manifest.count > 25 && PlantedFault.tables.count > 15 && PlantedFault.sql.count > 20)
    #expect(
      (PlantedFault.manifest + PlantedFault.tables + PlantedFault.sql).allSatisfy { !$0.code.contains(" ") }
    )
  }

  @Test func `some faults are found without a database`() throws {
    let seen = try PlantedFault.manifest.filter { fault in
      try fault.app().package().findings().contains { $0.code == fault.code }
    }
    #expect(seen.count >= 14, "\(seen.map(\.name))")
    #expect(try ExampleApp.read().package().findings().isEmpty)
    #expect(try AppPackage.allEmbedded().allSatisfy { try $0.findings().isEmpty })
    for fault in PlantedFault.sql where ["transaction_control", "statement_not_allowed"].contains(fault.code)
    {
      #expect(try fault.app().package().findings().contains { $0.code == fault.code }, "\(fault.name)")
    }
  }

  /// One database for all of them, since nothing must remain in it.
  private actor Ground {
    static let shared = Ground()
    private var making: Task<Database, any Error>?

    func admin() async throws -> Database {
      if let making { return try await making.value }
      // An unstructured task: many tests wait for it, and none may cancel it for the others.
      let task = Task { try await TestDatabase.make().connect(poolSize: 4) }
      making = task
      return try await task.value
    }
  }
}
