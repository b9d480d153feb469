internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Synchronization

/// Work that takes longer than a page: a verification, or an action on many jobs. It goes on while nobody looks.
final class OperatorRuns: Sendable {
  /// The result of a run.
  enum Outcome: Sendable {
    case verified(VerifyReport)
    case jobs(JobBulk)
    case failed(DomainError)
    /// The operator, or the end of the process, stopped it.
    case stopped
  }

  /// What a run does.
  enum Work: Sendable {
    /// A verification; without a company, of all.
    case verify(company: String?, isQuick: Bool)
    /// An action on the jobs that a choice names; a dry run changes nothing.
    case jobs(JobAction, JobChoice, isDryRun: Bool)
  }

  /// A run as pages show it.
  struct Run: Sendable {
    let id: UUID
    let work: Work
    let startedAt: Instant
    /// The number of history entries or jobs that were handled.
    var progress = 0
    /// The number of all of them; nil if it is not known.
    var total: Int?
    /// Nil while it runs.
    var outcome: Outcome?
  }

  private struct State {
    var runs: [Run] = []
    var tasks: [UUID: Task<Void, Never>] = [:]
  }

  /// The most runs at a time.
  private static let mostAtOnce = 3
  /// The most runs that are remembered.
  private static let mostKept = 50

  private let state = Mutex(State())

  /// The runs, newest first.
  var all: [Run] { state.withLock { $0.runs.reversed() } }

  /// Returns a run; nil if there is none.
  func run(_ id: UUID) -> Run? { state.withLock { state in state.runs.first { $0.id == id } } }

  /// Starts a run.
  ///
  /// - Parameters:
  ///   - total: the number of things to handle; nil if it is not known.
  ///   - body: does the work; it reports how many it has handled.
  /// - Throws: `wrong_state` if as many run as may.
  func start(
    _ work: Work,
    id: UUID,
    at time: Instant,
    total: Int? = nil,
    _ body: @escaping @Sendable (_ progress: @escaping @Sendable (Int) -> Void) async throws -> Outcome
  ) throws(DomainError) {
    let isStarted = state.withLock { state in
      guard state.tasks.count < Self.mostAtOnce else { return false }
      if state.runs.count >= Self.mostKept, let index = state.runs.firstIndex(where: { $0.outcome != nil }) {
        state.runs.remove(at: index)
      }
      state.runs.append(Run(id: id, work: work, startedAt: time, total: total))
      // Unstructured, because it outlives the request; `stop` cancels it.
      state.tasks[id] = Task { [self] in
        let outcome: Outcome
        do {
          outcome = try await body { number in self.change(id) { $0.progress = number } }
        } catch is CancellationError {
          outcome = .stopped
        } catch {
          outcome = Task.isCancelled ? .stopped : .failed(Self.known(error))
        }
        self.change(id) { $0.outcome = outcome }
        self.state.withLock { $0.tasks[id] = nil }
      }
      return true
    }
    guard isStarted else {
      throw DomainError(
        .wrongState,
        "\(Self.mostAtOnce) runs are under way",
        hint: "wait for one, or stop one"
      )
    }
  }

  /// Waits until a run has ended, at most for a time.
  func settle(_ id: UUID, within time: Duration) async {
    let end = ContinuousClock.now + time
    while run(id).map({ $0.outcome == nil }) ?? false, .now < end, !Task.isCancelled {
      try? await Task.sleep(for: .milliseconds(20))  // a cancelled request ends the wait
    }
  }

  /// Stops a run. What it has done remains.
  func stop(_ id: UUID) { state.withLock { $0.tasks[id] }?.cancel() }

  /// Stops all runs, and waits for them.
  func stopAll() async {
    for task in state.withLock({ Array($0.tasks.values) }) {
      task.cancel()
      await task.value
    }
  }

  private func change(_ id: UUID, _ body: (inout Run) -> Void) {
    state.withLock { state in
      guard let index = state.runs.firstIndex(where: { $0.id == id }) else { return }
      body(&state.runs[index])
    }
  }

  private static func known(_ error: any Error) -> DomainError {
    error as? DomainError ?? DomainError(.internal, "\(error)")
  }
}
