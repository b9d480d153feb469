package import Postgres
internal import Synchronization

/// The catalogue of a process that goes on working while apps are installed and upgraded.
///
/// Whoever asks gets the newest that was read; a command keeps the type it got until it is done.
package final class LiveCatalogue: Sendable {
  private let state: Mutex<TypeCatalogue>

  /// Begins with what was read at the start.
  package init(_ catalogue: TypeCatalogue) {
    state = Mutex(catalogue)
  }

  /// The newest that was read.
  package var current: TypeCatalogue { state.withLock { $0 } }

  /// Reads the catalogue again if something was installed, upgraded or activated since.
  ///
  /// - Returns: whether there was something new.
  package func refresh(_ database: Database) async throws -> Bool {
    let known = current.stamp
    guard try await database.value(TypeCatalogue.stampQuery, as: String.self) != known else { return false }
    let newest = try await database.transaction { tx in try TypeCatalogue.load(tx) }
    state.withLock { $0 = newest }
    return newest.stamp != known
  }
}
