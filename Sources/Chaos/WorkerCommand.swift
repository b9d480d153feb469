internal import ArgumentParser
internal import Glibc
internal import Jobs
internal import Logging
internal import Postgres
internal import ServiceLifecycle
internal import Store
internal import UnixSignals

/// A worker process: the worker of `fettle work`, with handlers that fail, hang and crash.
struct WorkerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "worker", shouldDisplay: false)

  @Option var host: String
  @Option var port: Int
  @Option var database: String
  @Option var log: String
  @Option var parent: Int32

  func run() async throws {
    let pool = Database(
      Database.Configuration(
        parameters: ["host": host, "port": String(port), "dbname": database, "user": "fettle_worker"],
        poolSize: 8,
        probeAfter: WorkerConfiguration.databaseProbeAfter,
        applicationName: "fettle-chaos-worker"
      )
    )
    let outside = try OutsideLog(path: log)
    var handlers = HandlerTable()
    for deed in JobBehaviour.allCases { handlers.add(ChaosHandler(deed: deed, log: outside)) }
    var logger = Logger(label: "chaos") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = .notice
    logger[metadataKey: "pid"] = "\(getpid())"
    let worker = Worker(
      database: pool,
      queue: JobQueue(pool),
      handlers: handlers,
      configuration: Self.haste,
      logger: logger
    )
    let group = ServiceGroup(
      configuration: .init(
        services: [.init(service: worker)],
        gracefulShutdownSignals: [.sigterm],
        logger: logger
      )
    )
    // Ends the worker if its parent was killed. Unstructured, because nothing waits for the task.
    Task {
      while getppid() == parent { try? await Task.sleep(for: .seconds(1)) }
      Glibc.exit(1)
    }
    try await group.run()
    await pool.close()
  }

  /// A configuration with shorter times than usual, so that a round takes seconds.
  private static var haste: WorkerConfiguration {
    var configuration = WorkerConfiguration()
    configuration.concurrency = 4
    configuration.lease = .seconds(1)
    configuration.heartbeat = .milliseconds(300)
    configuration.poll = .milliseconds(100)
    configuration.grace = .milliseconds(800)
    configuration.timeout = .seconds(10)
    configuration.cancellationTimeout = .milliseconds(300)
    return configuration
  }
}
