internal import Glibc
internal import Jobs
internal import Logging
internal import ServiceLifecycle
internal import UnixSignals

/// A worker that runs until the process is told to end: the first SIGTERM or Ctrl-C lets it finish what it has, the
/// second ends the process where it stands.
struct WorkerProcess {
  let worker: Worker
  /// What to say when a second signal ends the process.
  let farewell: String

  func run() async throws {
    let group = ServiceGroup(
      configuration: .init(services: [.init(service: worker)], logger: WorkCommand.logger(level: .error))
    )
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask { await watchSignals(group) }
      try await group.run()
      tasks.cancelAll()
    }
  }

  /// The group takes every signal after the first for another request to finish, so they are counted here.
  private func watchSignals(_ group: ServiceGroup) async {
    var isStopping = false
    for await _ in await UnixSignalsSequence(trapping: .sigterm, .sigint) {
      if isStopping {
        Message.tell(farewell)
        // Leases run out within seconds, and what this process had runs elsewhere.
        exit(130)
      }
      isStopping = true
      await group.triggerGracefulShutdown()
    }
  }
}
