package import Postgres
internal import Synchronization

/// Keeps the ``Witness`` of a process up to date, and compares the data with it: on each new connection before its first
/// use, and at intervals.
///
/// A server that takes the place of another one is reached by new connections only, so no request is served from data
/// that the process does not know.
package final class WitnessKeeper: Sendable {
  private let file: WitnessFile
  private let report: @Sendable (News) -> Void
  private let state: Mutex<State>
  /// One check at a time, in the order of calls.
  private let wakes = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

  /// What an operator should know.
  package enum News: Sendable {
    case restored(Restoration.Outcome)
    /// The file cannot be written, so that a restore of the data folder may go unnoticed. Reported once.
    case unwritable(WitnessFile.Failure)
  }

  private struct State {
    var witness: Witness?
    /// True once this process has compared the data with the witness.
    var isProven = false
    /// True once a failure to write the file was logged.
    var isUnwritable = false
  }

  /// - Parameter report: gets what an operator should know.
  package init(_ file: WitnessFile, report: @escaping @Sendable (News) -> Void) {
    self.file = file
    self.report = report
    state = Mutex(State(witness: file.read()))
  }

  /// Makes every new connection of a database wait for its comparison.
  package func guardConnections(of configuration: inout Database.Configuration) {
    let others = configuration.onConnect
    configuration.onConnect = { session in
      try others?(session)
      try self.admit(session)
    }
  }

  /// Compares the data with the witness, begins a new epoch if they were restored, and writes the witness.
  ///
  /// - Throws: the errors of the database, and those of ``admit(_:)``.
  @discardableResult
  package func check(_ database: Database) async throws -> Restoration.Outcome {
    try await database.statements { try self.check($0, writesAlways: true) }
  }

  /// Compares the data of a new connection with the witness. A database without this program's schema is admitted until
  /// the process knows its data.
  ///
  /// - Throws: ``PostgresError`` of kind `connection` for the database of another installation, and for a standby that
  ///   is not in the epoch that the process knows.
  func admit(_ session: Session) throws {
    do {
      try check(session, writesAlways: false)
    } catch let error as PostgresError where !state.withLock(\.isProven) && Self.lacksSchema(error) {
      // The start of the process reports what is missing.
    }
  }

  /// - Parameter writesAlways: false to write the file only after a change, not for a higher position.
  @discardableResult
  private func check(_ session: Session, writesAlways: Bool) throws -> Restoration.Outcome {
    // Before the question: the position of a later answer to another connection would look like a loss.
    let (known, isProven) = state.withLock { ($0.witness, $0.isProven) }
    if isProven, let known { try Self.require(known, session) }
    let (outcome, witness) = try Restoration.check(session, known)
    if outcome != .none { report(.restored(outcome)) }
    guard let witness else { return outcome }
    let isChanged = known.map { !$0.isOfSameData(as: witness) } ?? true
    if writesAlways || isChanged { keep(witness) }
    state.withLock { $0.isProven = true }
    return outcome
  }

  /// Requires the installation that the process knows, and of a standby the epoch too: only a primary can tell whether
  /// another epoch is a newer one.
  private static func require(_ known: Witness, _ session: Session) throws {
    let isKnown = try session.value(
      """
      select i.id = \(known.installation) and (i.epoch = \(known.epoch) or not pg_is_in_recovery())
      from core.installation i
      """,
      as: Bool?.self
    )
    guard isKnown == true else {
      throw PostgresError(.connection, "the server has other data than those that this process knows")
    }
  }

  private static func lacksSchema(_ error: PostgresError) -> Bool {
    switch error.sqlState {
    case .undefinedFunction, .undefinedTable, .undefinedColumn, .invalidSchemaName: true
    default: false
    }
  }

  private func keep(_ witness: Witness) {
    state.withLock { $0.witness = witness }
    do {
      try file.write(witness)
    } catch {
      let isNew = state.withLock { state in
        defer { state.isUnwritable = true }
        return !state.isUnwritable
      }
      if isNew { report(.unwritable(error)) }
    }
  }

  /// Checks soon, for example after the connection to the database was lost.
  package func wake() { wakes.continuation.yield() }

  /// Checks at intervals and after ``wake()`` until the task is cancelled, and once more then.
  ///
  /// Errors of the database are not logged: a server that cannot be reached is reported elsewhere, and the next check
  /// finds what happened to it.
  package func run(_ database: Database, every interval: Duration = .seconds(5)) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { [wakes] in
        while (try? await Task.sleep(for: interval)) != nil { wakes.continuation.yield() }
      }
      for await _ in wakes.stream { _ = try? await check(database) }  // cancelled: the stream ends
      group.cancelAll()
    }
    // The last position before a planned stop.
    _ = try? await shielded { try await self.check(database) }
  }
}
