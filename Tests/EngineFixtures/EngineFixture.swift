internal import Apps
package import Engine
package import Postgres
internal import Secrets
package import Store
package import TestDatabase

/// A database with its logins: the server, the operator, and the superuser who inspects it.
package struct EngineFixture: Sendable {
  package let database: TestDatabase
  /// The server's login.
  package let services: Services
  /// The operator's login.
  package let operators: Services
  package let superuser: Database
  package let records: Records

  /// The installed record types.
  package var catalogue: TypeCatalogue { records.catalogue }

  /// The database shared by the tests of this process, each with a company of its own.
  package static func shared() async throws -> EngineFixture { try await Making.shared.value() }

  /// The services of a database, with `poolSize` connections for the server.
  package static func open(_ database: TestDatabase, poolSize: Int = 24) async throws -> EngineFixture {
    let keys = Keys.random()
    let services = Services(
      database: database.connect(as: "fettle_app", poolSize: poolSize),
      rules: CompiledApps.rules
    ) { keys }
    let operators = Services(
      database: database.connect(as: "fettle_admin", poolSize: 3),
      rules: CompiledApps.rules
    ) { keys }
    return EngineFixture(
      database: database,
      services: services,
      operators: operators,
      superuser: database.connect(as: "postgres", poolSize: 3),
      records: try await Records.open(services)
    )
  }

  /// Closes the connections.
  package func close() async {
    await services.database.close()
    await operators.database.close()
    await superuser.close()
  }

  private actor Making {
    static let shared = Making()
    private var making: Task<EngineFixture, any Error>?

    func value() async throws -> EngineFixture {
      if let making { return try await making.value }
      // An unstructured task: all suites wait for it, and none may cancel it for the others.
      let task = Task { try await EngineFixture.open(TestDatabase.make()) }
      making = task
      return try await task.value
    }
  }
}
