internal import CoreCommands
internal import Domain
internal import Glibc
internal import Jobs
internal import Logbook
internal import Logging
internal import Server
internal import ServiceLifecycle
internal import UnixSignals

/// Runs a worker or a server until SIGTERM or Ctrl-C. The first signal lets running work finish; the second ends the
/// process immediately, with exit code 130.
struct WorkerProcess {
  private let services: [any Service]
  private let grounds: [any Service]
  private let farewell: String
  private let stopping: String
  private let watch: WorkerWatch
  private let departure: Departure?
  private let signals: UnixSignalsSequence

  /// Creates the process, and traps SIGTERM and SIGINT from now on.
  ///
  /// - Parameters:
  ///   - services: the worker and the services beside it.
  ///   - grounds: the services on which the others depend; if one of them returns, all shut down gracefully.
  ///   - stopping: the message printed after the first signal.
  ///   - farewell: the message printed when a second signal ends the process.
  ///   - watch: the observers; systemd is notified when the worker is stopping.
  ///   - departure: what comes between the first signal and the end; nil for nothing.
  init(
    _ services: [any Service],
    on grounds: [any Service] = [],
    stopping: String = "finishing running jobs",
    farewell: String,
    watch: WorkerWatch,
    departure: Departure? = nil
  ) async {
    self.services = services
    self.grounds = grounds
    self.watch = watch
    self.departure = departure
    self.farewell = farewell
    self.stopping = stopping
    signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
  }

  /// Runs the services until they have shut down.
  ///
  /// - Parameter options: the options that choose the addresses of the process, for the hint.
  /// - Throws: `unavailable` if an address cannot be opened.
  func run(listening options: String) async throws {
    do {
      try await run()
    } catch let error as ServerError {
      throw DomainError(
        .unavailable,
        "cannot listen on \(error.address): \(error.reason)",
        hint: "choose another address with \(options), or stop the process that uses it"
      )
    }
  }

  private func run() async throws {
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

  /// Handles the signals here, because a service group would treat the second one like the first.
  private func mind(_ group: ServiceGroup) async {
    await withDiscardingTaskGroup { tasks in await mind(group, &tasks) }
  }

  private func mind(_ group: ServiceGroup, _ tasks: inout DiscardingTaskGroup) async {
    var isStopping = false
    for await _ in signals {
      if isStopping {
        Message.tell(farewell)
        watch.logs.finish()
        // The lease expires within seconds; then other workers run the jobs of this process.
        exit(130)
      }
      isStopping = true
      watch.manager?.notify(.stopping)
      Message.tell("\(stopping); a second signal ends it at once")
      tasks.addTask { [departure] in
        try? await departure?.wait()  // cancelled: the services have ended
        await group.triggerGracefulShutdown()
      }
    }
  }
}
