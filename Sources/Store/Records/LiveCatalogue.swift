package import Postgres
internal import Synchronization

/// The catalogue of a process: read once, and again when its number has changed.
///
/// All record commands of a process share one catalogue. A running command keeps the types that it began
/// with.
package final class LiveCatalogue: Sendable {
  private let state: Mutex<TypeCatalogue?>

  /// - Parameter catalogue: an already read catalogue; nil if there is none.
  package init(_ catalogue: TypeCatalogue? = nil) {
    state = Mutex(catalogue)
  }

  /// The newest catalogue; nil before the first read.
  package var known: TypeCatalogue? { state.withLock { $0 } }

  /// The newest catalogue; empty before the first read.
  package var current: TypeCatalogue { known ?? .empty }

  /// Stores a catalogue that was just read.
  package func keep(_ catalogue: TypeCatalogue) { state.withLock { $0 = catalogue } }

  /// Reads the catalogue, unless the cached one has the current number.
  ///
  /// - Parameter number: the current number in the database; nil to query it.
  /// - Returns: the catalogue, and true if it was read again.
  @discardableResult
  package func refresh(_ database: Database, to number: Int64? = nil) async throws -> (
    TypeCatalogue, isNew: Bool
  ) {
    if let known {
      let newest: Int64
      if let number {
        newest = number
      } else {
        newest = try await database.value(TypeCatalogue.numberQuery, as: Int64.self)
      }
      if newest == known.number { return (known, false) }
    }
    let newest = try await database.transaction(TransactionOptions(readOnly: true)) { tx in
      var reading: TypeCatalogue.Reading?
      try tx.commit { pipeline in reading = TypeCatalogue.Reading(&pipeline) }
      return try reading?.catalogue() ?? .empty
    }
    keep(newest)
    return (newest, true)
  }
}
