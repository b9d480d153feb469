import Postgres
import TestDatabase

/// A database on the shared server, closed when the body is done.
@discardableResult
func withDatabase<T>(
  _ change: (inout Database.Configuration) -> Void = { _ in },
  on server: PrivateServer? = nil,
  _ body: (Database) async throws -> T
) async throws -> T {
  let server = try server ?? PrivateServer.shared.get()
  var configuration = Database.Configuration(parameters: server.parameters, poolSize: 3)
  // Long enough for a busy machine.
  configuration.leaseTimeout = .seconds(1_800)
  change(&configuration)
  let database = Database(configuration)
  do {
    let value = try await body(database)
    await database.close()
    return value
  } catch {
    await database.close()
    throw error
  }
}

/// Connection parameters that lead through a proxy.
func proxied(_ proxy: Proxy) -> [String: String] {
  ["host": proxy.folder, "user": "postgres", "dbname": "postgres"]
}
