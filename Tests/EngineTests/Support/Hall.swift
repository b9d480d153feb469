import Domain
import Engine
import Postgres
import Store
import TestDatabase

/// A database and those who work in it: the server, the operator, and the superuser who looks on.
struct Hall: Sendable {
  let database: TestDatabase
  /// The server's login.
  let services: Services
  /// The operator's login.
  let operators: Services
  let superuser: Database
  let records: Records

  /// What is installed.
  var catalogue: TypeCatalogue { records.catalogue }

  /// The one that the tests of this process share, each with a company of its own.
  static func shared() async throws -> Hall { try await Making.shared.value() }

  /// The services of a database, with `poolSize` connections for the server.
  static func open(_ database: TestDatabase, poolSize: Int = 24) async throws -> Hall {
    let services = Services(database: database.connect(as: "fettle_app", poolSize: poolSize)) {
      throw DomainError(.unavailable, "these tests need no keys")
    }
    let operators = Services(database: database.connect(as: "fettle_admin", poolSize: 3)) {
      throw DomainError(.unavailable, "these tests need no keys")
    }
    return Hall(
      database: database,
      services: services,
      operators: operators,
      superuser: database.connect(as: "postgres", poolSize: 3),
      records: try await Records.open(services)
    )
  }

  /// Gives the connections back.
  func close() async {
    await services.database.close()
    await operators.database.close()
    await superuser.close()
  }

  private actor Making {
    static let shared = Making()
    private var making: Task<Hall, any Error>?

    func value() async throws -> Hall {
      if let making { return try await making.value }
      // A task of its own, because all suites wait for it and none may cancel it for the others.
      let task = Task { try await Hall.open(TestDatabase.make()) }
      making = task
      return try await task.value
    }
  }
}
