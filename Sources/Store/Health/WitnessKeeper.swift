package import Postgres
internal import Synchronization

/// Keeps the ``Witness`` of a process up to date, and compares the data with it.
package final class WitnessKeeper: Sendable {
  private let database: Database
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
    /// True once a failure to write the file was logged.
    var isUnwritable = false
  }

  /// - Parameters:
  ///   - database: connected as `fettle_app` or `fettle_worker`.
  ///   - report: gets what an operator should know.
  package init(_ database: Database, _ file: WitnessFile, report: @escaping @Sendable (News) -> Void) {
    self.database = database
    self.file = file
    self.report = report
    state = Mutex(State(witness: file.read()))
  }

  /// Compares the data with the witness, begins a new epoch if they were restored, and writes the witness.
  ///
  /// - Throws: the errors of the database.
  @discardableResult
  package func check() async throws -> Restoration.Outcome {
    let (outcome, witness) = try await Restoration.check(database, state.withLock(\.witness))
    if outcome != .none { report(.restored(outcome)) }
    if let witness { keep(witness) }
    return outcome
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
  package func run(every interval: Duration = .seconds(5)) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { [wakes] in
        while (try? await Task.sleep(for: interval)) != nil { wakes.continuation.yield() }
      }
      for await _ in wakes.stream { _ = try? await check() }  // cancelled: the stream ends
      group.cancelAll()
    }
    // The last position before a planned stop. Not in the cancelled task.
    await Task { _ = try? await check() }.value
  }
}
