import Domain
import Postgres
import Store
import TestDatabase
import Testing

@Suite(.serialized, .timeLimit(.minutes(30))) struct InstallationTests {
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

  @Test func `the apps of the binary hold to the rules for apps of others`() async throws {
    let database = try await TestDatabase.makeEmpty()
    let superuser = database.connect(as: "postgres", poolSize: 1)
    try await Installation.prepareRoles(superuser: superuser)
    await superuser.close()
    let admin = database.connect(poolSize: 1)
    _ = try await Installation.install(admin, apps: [])
    let folders = try Installation.embeddedApps.map { app in
      try AppPackage.folder(ExampleApp.folder.replacing("examples/orchard", with: "apps/\(app)"))
    }
    for package in AppPackage.ordered(folders) {
      let outcome = try await AppInstaller(admin).install(package)
      #expect(outcome.changed)
    }
    #expect(try await Installation.isCurrent(admin))
    await admin.close()
  }
}
