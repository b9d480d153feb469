import Domain
import Engine
import EngineFixtures
import Postgres
import Store
import TestDatabase
import Testing

/// Logins that try to become another role.
@Suite struct RoleTests {
  @Test(arguments: ["fettle_admin", "fettle_app", "fettle_worker", "fettle_report", "fettle_backup"])
  func `no login but that of migrations can become the owner of tables or functions`(_ login: String)
    async throws
  {
    let shop = try await Workshop.open()
    let database = shop.engine.database.connect(as: login, poolSize: 1)
    for role in ["fettle_owner", "fettle_auth", "fettle_eraser", "fettle_migrator"] {
      let error = await #expect(throws: PostgresError.self, "\(role)") {
        try await database.execute("set role \(identifier: role)")
      }
      #expect(error?.sqlState == .insufficientPrivilege)
    }
    await database.close()
  }

  @Test func `the operator's login can neither migrate nor install an app`() async throws {
    let shop = try await Workshop.open()
    let refusal = try await refused {
      _ = try await AppInstaller(shop.engine.operators.database).install(embedded: "maintenance")
    }
    #expect(refusal.code == .unavailable)
    #expect(refusal.hint == "connect as fettle_migrator")
    let other = try await refused { _ = try await Installation.install(shop.engine.operators.database) }
    #expect(other.hint == "connect as fettle_migrator")
  }
}
