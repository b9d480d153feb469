internal import CoreCommands
internal import Glibc
internal import Jobs
internal import Logbook
internal import Logging
internal import Server
internal import ServiceLifecycle
internal import UnixSignals

/// A worker that runs until the process is told to end: the first SIGTERM or Ctrl-C lets it finish what it has, the
/// second ends the process where it stands.
struct WorkerProcess {
  private let services: [any Service]
  private let grounds: [any Service]
  private let farewell: String
  private let watch: WorkerWatch
  private let signals: UnixSignalsSequence

  /// Minds signals from here on.
  ///
  /// - Parameters:
  ///   - services: the worker, and what runs beside it.
  ///   - grounds: what all of it stands on; when one of these returns, the rest finishes too.
  ///   - farewell: what to say when a second signal ends the process.
  ///   - watch: whom to tell that it is stopping.
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

  /// The group takes every signal after the first for another request to finish, so they are counted here.
  private func mind(_ group: ServiceGroup) async {
    var isStopping = false
    for await _ in signals {
      if isStopping {
        Message.tell(farewell)
        watch.logs.finish()
        // Leases run out within seconds, and what this process had runs elsewhere.
        exit(130)
      }
      isStopping = true
      watch.manager?.notify(.stopping)
      Message.tell("finishing running jobs; a second signal ends it at once")
      await group.triggerGracefulShutdown()
    }
  }
}
