internal import AppInterfaces
internal import Apps
internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import Files
internal import Jobs
internal import Logbook
internal import Logging
internal import Mail
internal import Postgres
internal import Secrets
internal import Server
internal import ServiceLifecycle
internal import Store
internal import Webhooks

struct WorkCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "work",
    abstract: "Run a worker: jobs, timers and schedules",
    scope: .worker,
    discussion: """
      After SIGTERM or Ctrl-C, the worker claims no more jobs, returns those that
      have not started to the queue, and lets running jobs finish for up to 20
      seconds. A second signal ends the process immediately. If a worker is killed,
      other workers run its jobs within seconds.

      Examples:
        fettle work
        fettle work --queues default=3,push --concurrency 16
        fettle work --handler plan.generate=./responder
        fettle work --mail smtps://mail.example.com --mail-from fettle@example.com
        fettle work --listen 127.0.0.1:9464 --log-format json
      """
  )

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var storage: BlobOptions

  @Option(
    help: ArgumentHelp(
      "Queues, each with its share when all have jobs (default share: 1; repeatable)",
      valueName: "a=3,b"
    )
  )
  var queues = ["default"]

  @Option(help: "Maximum number of concurrent jobs, 1 to 1000")
  var concurrency = 8

  @Flag(help: "Let webhooks reach private networks and this machine")
  var allowPrivateWebhooks = false

  @OptionGroup var programs: HandlerOptions

  @OptionGroup var mail: MailOptions

  @Option(help: "Log level: trace, debug, info, notice, warning or error")
  var logLevel = "info"

  @Option(
    help: "Log format; json writes an object per line",
    completion: .list(LogFormat.allCases.map(\.rawValue))
  )
  var logFormat = LogFormat.text

  @Option(
    help: ArgumentHelp(
      "Address for /metrics, /healthz and /readyz (default address: loopback)",
      valueName: "address:port"
    )
  )
  var listen: String?

  func validate() throws {
    _ = try Self.weights(queues)
    guard listen.map({ ListenAddress($0) != nil }) ?? true else {
      throw ValidationError("--listen takes a port or address:port, such as 127.0.0.1:9464")
    }
    guard (1...1_000).contains(concurrency) else { throw ValidationError("--concurrency is 1 to 1000") }
    guard Logger.Level(rawValue: logLevel) != nil else {
      throw ValidationError("--log-level \(logLevel) is unknown")
    }
  }

  func run() async throws {
    let handlers = try programs.programs()
    let mail = try mail.settings()
    let watch = WorkerWatch(
      logs: Logbook(logFormat),
      level: Logger.Level(rawValue: logLevel) ?? .info,
      listen: listen.flatMap { ListenAddress($0) }
    )
    let keeper = try WitnessService.keeper(watch.logger)
    let database = try connection.open(
      as: .worker,
      poolSize: min(concurrency, 16) + 3,
      probeAfter: WorkerConfiguration.databaseProbeAfter,
      adjust: keeper.guardConnections
    )
    _ = try await Keyring.ready(database)
    let witness = try await WitnessService(database, keeper)
    let services = try await Self.services(
      database,
      queues: try Self.weights(queues),
      concurrency: concurrency,
      policy: allowPrivateWebhooks ? .publicAndPrivate : .publicOnly,
      programs: handlers,
      limits: programs.limits,
      mail: mail,
      blobs: try storage.store(),
      watch: watch
    )
    let process = await WorkerProcess(
      [witness] + services,
      farewell: "stopped immediately; its jobs run again on other workers",
      watch: watch
    )
    defer { watch.logs.finish() }
    try await process.run(listening: "--listen")
    await database.close()
  }

  /// Returns the services of a worker process: its observers, a worker with all handlers, and a timekeeper.
  static func services(
    _ database: Database,
    queues: [String: Int],
    concurrency: Int,
    policy: NetworkPolicy,
    programs: [Program] = [],
    limits: Program.Limits = Program.Limits(),
    mail: MailSettings? = nil,
    blobs: any BlobStore,
    watch: WorkerWatch
  ) async throws -> [any Service] {
    let keys = try await Keyring.ready(database)
    let services = Services(
      database: database,
      rules: AppRegistry.current.rules,
      blobs: blobs,
      keys: { keys }
    )
    let records = try await Records.open(services)
    var configuration = WorkerConfiguration()
    configuration.queues = queues
    configuration.concurrency = concurrency
    // The limit of handler programs must expire first, because it reports the reason.
    configuration.timeout = max(configuration.timeout, limits.time + .seconds(10))
    var handlers = CompiledApps.handlers(
      records,
      policy: policy,
      secrets: try KeyLocation.secrets(),
      mail: mail,
      ledger: try KeyLocation.ledger()
    )
    handlers.add(
      programs,
      limits: limits,
      tasks: CompiledApps.tasks(records),
      policy: policy,
      services: services
    )
    let worker = Worker(
      database: database,
      queue: JobQueue(database, weights: configuration.queues),
      handlers: handlers,
      configuration: configuration,
      metrics: watch.metrics,
      logger: watch.logger
    )
    let timekeeper = Timekeeper(services, records: records, metrics: watch.metrics, logger: watch.logger)
    return watch.services(around: worker, database) + [worker, timekeeper]
  }

  /// Returns the weight of each queue in texts such as `default=3,push`; the default weight is 1.
  ///
  /// - Throws: `ValidationError` for an empty text, an invalid queue name, a queue named twice, or a weight outside 1
  ///   to 1,000.
  static func weights(_ texts: [String]) throws -> [String: Int] {
    var weights: [String: Int] = [:]
    for part in texts.flatMap({ $0.split(separator: ",") }) {
      let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(halves[0])
      guard name.wholeMatch(of: /[a-z][a-z0-9_-]{0,62}/) != nil else {
        throw ValidationError("--queues: '\(name)' is not a queue name")
      }
      guard halves.count == 1 || (1...1_000).contains(Int(halves[1]) ?? 0) else {
        throw ValidationError("--queues: the share of \(name) is 1 to 1000")
      }
      guard weights[name] == nil else { throw ValidationError("--queues names \(name) twice") }
      weights[name] = halves.count == 1 ? 1 : Int(halves[1])
    }
    guard !weights.isEmpty else { throw ValidationError("--queues is empty") }
    return weights
  }
}

extension LogFormat: ExpressibleByArgument {}
