internal import Apps
internal import Domain
package import Engine
internal import Postgres
internal import Synchronization
package import TestDatabase

/// Simulates a process of its own, and counts its round trips to a database.
package final class RoundTrips: Sendable {
  /// Services with a catalogue of their own, as in a process.
  package let services: Services
  private let log: Log

  private final class Log: Sendable {
    let trips = Mutex<[String]>([])
  }

  package init(_ database: TestDatabase, as login: String = "fettle_admin") {
    var parameters = database.parameters
    parameters["user"] = login
    var configuration = Database.Configuration(parameters: parameters, poolSize: 1, applicationName: "tests")
    let log = Log()
    configuration.onRoundTrip = { statements in
      // The hint for devices follows the commit, at most once in 100 ms, and no answer of a server waits for it.
      guard !statements.contains(where: { $0.text.contains("core.notify_sync") }) else { return }
      let beginnings = statements.map {
        $0.text.split(whereSeparator: \.isWhitespace).prefix(12).joined(separator: " ")
      }
      log.trips.withLock { $0.append(beginnings.joined(separator: "; ")) }
    }
    self.log = log
    services = Services(database: Database(configuration), rules: CompiledApps.rules) {
      throw DomainError(.unavailable, "these tests need no keys")
    }
  }

  /// Returns the number of round trips of a body.
  package func during(_ body: () async throws -> Void) async throws -> Int {
    log.trips.withLock { $0 = [] }
    try await body()
    return log.trips.withLock { $0.count }
  }

  /// The beginnings of the statements of the last counted body, one line per round trip.
  package var last: String { log.trips.withLock { $0.joined(separator: "\n") } }
}
