package import Postgres
internal import Synchronization

/// The catalogue of a process: read once, and again when its version changed.
///
/// All record commands of a process share one. A command that is under way keeps the types it began with.
package final class LiveCatalogue: Sendable {
  private let state: Mutex<TypeCatalogue?>

  /// - Parameter catalogue: what was read already; nil if nothing was.
  package init(_ catalogue: TypeCatalogue? = nil) {
    state = Mutex(catalogue)
  }

  /// The newest that was read; nil before the first.
  package var known: TypeCatalogue? { state.withLock { $0 } }

  /// The newest that was read; without any type before the first.
  package var current: TypeCatalogue { known ?? .empty }

  /// Keeps a catalogue that was just read.
  package func keep(_ catalogue: TypeCatalogue) { state.withLock { $0 = catalogue } }

  /// Reads the catalogue unless the one that is known has this version.
  ///
  /// - Parameter stamp: the version as the database has it now; nil to ask.
  /// - Returns: the catalogue, and whether it is another than before.
  @discardableResult
  package func refresh(_ database: Database, to stamp: String? = nil) async throws -> (
    TypeCatalogue, isNew: Bool
  ) {
    if let known {
      let newest: String
      if let stamp {
        newest = stamp
      } else {
        newest = try await database.value(TypeCatalogue.stampQuery, as: String.self)
      }
      if newest == known.stamp { return (known, false) }
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
