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
}
