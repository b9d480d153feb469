import Postgres
import Store
import TestDatabase
import Testing

@Suite struct InstallationTests {
  @Test func `a database from nothing has the maintenance app afterwards`() async throws {
    let database = try await TestDatabase.make()
    let admin = database.connect()
    let apps = try await admin.rows("select name from core.app", String.self)
    #expect(apps == Installation.embeddedApps)
    let catalogue = try await admin.transaction { tx in try TypeCatalogue.load(tx) }
    #expect(catalogue.types.map(\.name).contains("maintenance.entry"))
    await admin.close()
  }
}
