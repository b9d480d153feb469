import Domain
import Postgres
import Store
import TestDatabase
import Testing

@Suite(.serialized, .timeLimit(.minutes(60))) struct InstallationTests {
  @Test func `a database from nothing has the maintenance app afterwards`() async throws {
    let database = try await TestDatabase.make()
    let admin = database.connect()
    let apps = try await admin.rows("select name from core.app", String.self)
    #expect(apps == Installation.embeddedApps)
    let catalogue = try await admin.transaction { tx in try TypeCatalogue.load(tx) }
    #expect(catalogue.types.map(\.name).contains("maintenance.entry"))
    await admin.close()
  }

  @Test func `a database in which the roles were not set up is refused`() async throws {
    let database = try await TestDatabase.make()
    let superuser = database.connect(as: "postgres", poolSize: 1)
    // As in other databases of the same server.
    try await superuser.execute(
      "alter default privileges for role fettle_owner grant execute on functions to public"
    )
    let admin = database.connect()
    let error = await #expect(throws: DomainError.self) { try await Installation.install(admin) }
    #expect(error?.code == .unavailable)
    #expect(error?.hint.contains("--print-roles") == true)
    await admin.close()
    await superuser.close()
  }

  @Test func `an app of the binary changes no object of another app or the engine`() async throws {
    let database = try await TestDatabase.makeEmpty()
    let superuser = database.connect(as: "postgres", poolSize: 1)
    try await Installation.prepareRoles(superuser: superuser)
    await superuser.close()
    let admin = database.connect(poolSize: 1)
    _ = try await Installation.install(admin, apps: [])
    for package in try AppPackage.allEmbedded() {
      let before = try await Self.others(of: package.manifest, admin)
      #expect(try await AppInstaller(admin).install(package).changed)
      let after = try await Self.others(of: package.manifest, admin)
      #expect(before.differences(to: after).isEmpty, "\(package.manifest.app)")
    }
    #expect(try await Installation.isCurrent(admin))
    await admin.close()
  }

  /// All objects that do not belong to an app.
  private static func others(of app: AppManifest, _ admin: Database) async throws -> CatalogueSnapshot {
    try await admin.transaction { tx in
      try tx.execute("set local role fettle_owner")
      let flat = try tx.rows(
        "select t.flat_view from core.record_type t where t.app = \(app.app) and t.flat_view is not null",
        String.self
      )
      return try CatalogueSnapshot.take(schema: app.schema, reportViews: app.reportViews + flat, tx)
    }
  }
}
