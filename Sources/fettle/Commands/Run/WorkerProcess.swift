internal import CoreCommands
internal import Glibc
internal import Jobs
internal import Logbook
internal import Logging
internal import Server
internal import ServiceLifecycle
internal import UnixSignals

/// Runs a worker until the process is told to end: the first SIGTERM or Ctrl-C lets it finish its jobs, the
/// second ends the process immediately.
struct WorkerProcess {
  private let services: [any Service]
  private let grounds: [any Service]
  private let farewell: String
  private let watch: WorkerWatch
  private let signals: UnixSignalsSequence

  /// Traps signals from here on.
  ///
  /// - Parameters:
  ///   - services: the worker and the services beside it.
  ///   - grounds: the services that they depend on; if one of these returns, the others shut down
  ///     gracefully.
  ///   - farewell: the message when a second signal ends the process.
  ///   - watch: notified when the worker is stopping.
  init(_ services: [any Service], on grounds: [any Service] = [], farewell: String, watch: WorkerWatch) async
  {
    self.services = services
    self.grounds = grounds
    self.watch = watch
    self.farewell = farewell
    signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
  }

  func run() async throws {
    let group = ServiceGroup(
      configuration: .init(
        services: grounds.map { .init(service: $0, successTerminationBehavior: .gracefullyShutdownGroup) }
          + services.map { .init(service: $0) },
        logger: watch.logs.logger("fettle", level: .error)
      )
    )
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask { await mind(group) }
      try await group.run()
      tasks.cancelAll()
    }
  }

  /// Counts signals, because the group treats every further one as another shutdown request.
  private func mind(_ group: ServiceGroup) async {
    var isStopping = false
    for await _ in signals {
      if isStopping {
        Message.tell(farewell)
        watch.logs.finish()
        // Leases expire within seconds, and other workers take over the jobs of this process.
        exit(130)
      }
      isStopping = true
      watch.manager?.notify(.stopping)
      Message.tell("finishing running jobs; a second signal ends it at once")
      await group.triggerGracefulShutdown()
    }
  }
}
