internal import Domain
package import Engine
internal import Postgres
internal import Synchronization
package import TestDatabase

/// A process of its own that counts its round trips to a database.
package final class RoundTrips: Sendable {
  /// Services with a catalogue of their own, as a process has them.
  package let services: Services
  private let counter: Counter

  private final class Counter: Sendable {
    let count = Mutex(0)
  }

  package init(_ database: TestDatabase, as login: String = "fettle_admin") {
    var parameters = database.parameters
    parameters["user"] = login
    var configuration = Database.Configuration(parameters: parameters, poolSize: 1, applicationName: "tests")
    let counter = Counter()
    configuration.onRoundTrip = { _ in counter.count.withLock { $0 += 1 } }
    self.counter = counter
    services = Services(database: Database(configuration)) {
      throw DomainError(.unavailable, "these tests need no keys")
    }
  }

  /// The number of round trips that a body takes.
  package func during(_ body: () async throws -> Void) async throws -> Int {
    counter.count.withLock { $0 = 0 }
    try await body()
    return counter.count.withLock { $0 }
  }
}
