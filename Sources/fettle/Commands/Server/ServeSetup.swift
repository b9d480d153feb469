internal import API
internal import Console
internal import CoreCommands
internal import Domain
internal import Engine
internal import Files
internal import FoundationEssentials
internal import Jobs
internal import Logbook
internal import Logging
internal import Postgres
internal import Prometheus
internal import Secrets
internal import Server
internal import ServiceLifecycle
internal import SignIn
internal import Store
internal import SyncProtocol

/// The parts of a process that serves the API.
struct ServeSetup {
  /// The sizes and limits of the pools.
  enum Pools {
    /// The connections for requests: four for each core of a small machine.
    static let size = 8
    /// The connections for reports and bulk work, which take long.
    static let bulkSize = 2

    /// Limits a pool: a company cannot take all connections, and waiting is short.
    static func limit(_ configuration: inout Database.Configuration) {
      configuration.maxPerKey = min(4, max(1, configuration.poolSize - 1))
      configuration.maxWaiting = 64
      configuration.maxWaitingPerKey = 16
      configuration.leaseTimeout = .seconds(1)
    }
  }

  /// The connections for requests, as `fettle_app`.
  let database: Database
  /// The connections for reports and bulk work, as `fettle_app`.
  let bulk: Database
  let configuration: HTTPConfiguration
  let settings: ServeRoutes.Settings
  /// The store of the bytes of files.
  let blobs: any BlobStore
  let watch: WorkerWatch
  /// Notices a restored database; the process runs it.
  let witness: WitnessService
  /// What comes between the signal to stop and the end; nil for nothing.
  var departure: Departure?
  /// Called with the TCP port when the server is open.
  let onListening: @Sendable (Int) -> Void

  /// Returns the services of the process.
  ///
  /// - Throws: the errors of the database.
  func services() async throws -> [any Service] {
    let channel = try await SyncChannel.read(database)
    let hub = HintHub(key: channel.key)
    let keys = try await Keyring.ready(database)
    let services = Services(
      database: database,
      rules: AppRegistry.current.rules,
      // The answer of a write does not wait for the notification of workers.
      notifiesWorkers: .inBackground,
      blobs: blobs,
      keys: { keys }
    )
    let bulkServices = Services(
      database: bulk,
      rules: AppRegistry.current.rules,
      notifiesWorkers: .inBackground,
      blobs: blobs,
      keys: { keys }
    )
    let metrics = watch.metrics.map { RequestMetrics($0) }
    let syncMetrics = watch.metrics.map { SyncMetrics($0) }
    let limiter = RateLimiter(
      RateStore(database),
      keys: { keys },
      rules: settings.rates.rules,
      onRefusal: { rule in metrics?.countLimited(rule.name) }
    )
    let logger = watch.logger
    let records = try await Records.open(services)
    let routes = ServeRoutes(
      services,
      records,
      bulk: bulkServices,
      hub: hub,
      counting: Self.counting(syncMetrics),
      configuration: configuration,
      settings: settings,
      logger: logger
    )
    let kept = KeptAnswers(services)
    let limited = AttemptLimits(limiter).applied(to: routes.all)
    let console = Console(
      services,
      records,
      inner: InnerAPI(limited, kept: kept),
      providers: settings.providers.all.map { ($0.issuer.name, $0.issuer.label) },
      entrance: settings.entrance
    )
    let api = API(
      routes: limited + console.routes,
      gate: routes.gate,
      limiter: settings.rates.kind == .off ? nil : limiter,
      kept: kept,
      report: { error, request in
        logger.error(
          "a request failed",
          metadata: [
            "error": "\(error)", "request": "\(request.id.uuidString.lowercased())",
            "method": "\(request.method.rawValue)",
          ]
        )
      },
      errorPage: { console.errorPage($0, $1) }
    )
    let probe = DatabaseProbe(database, logger: logger)
    await probe.ask()
    let server = HTTPServer(
      api,
      configuration,
      isReady: { [departure] in probe.isReady && departure?.hasBegun != true },
      metrics: metrics,
      logger: logger,
      accessLogger: watch.logs.logger("fettle.access", level: logger.logLevel),
      onListening: onListening
    )
    // Services stop in reverse order: the waits end before the server finishes its requests.
    let hints = HintService(feed: HintFeed(hub, database, channel) { [witness] in witness.wake() })
    return watch.services(serving: server, probe, database) {
      syncMetrics?.set(streams: hub.load.streams, requests: hub.load.requests)
    } + [probe] + routes.services + [server, hints]
  }

  private static func counting(_ metrics: SyncMetrics?) -> SyncCounting {
    var counting = SyncCounting()
    guard let metrics else { return counting }
    counting.pulled = { metrics.countPull() }
    counting.pushed = { answer in
      metrics.countPush(
        answer.results.map {
          ($0.isReplayed ? "replayed" : $0.result.rawValue, $0.isReplayed ? nil : $0.code)
        }
      )
    }
    return counting
  }

  /// Returns the service that notices a restored database, after its first check.
  ///
  /// - Throws: `unavailable` if the schema is not that of this program, `migration_missing` if it is newer; the
  ///   errors of the first connection, such as `login_too_powerful`.
  static func witness(_ database: Database, _ keeper: WitnessKeeper) async throws -> WitnessService {
    try await requireSchema(database)
    _ = try await Keyring.ready(database)
    return try await WitnessService(database, keeper)
  }

  /// Requires that the schema is the one of this program.
  private static func requireSchema(_ database: Database) async throws {
    let pending = try await Installation.plan(database)
    guard pending.isEmpty else {
      throw DomainError(
        .unavailable,
        "the schema of the database is older than this program: \(pending.map(\.app).joined(separator: ", "))",
        hint: "run `fettle migrate`, and start the server again"
      )
    }
  }
}

extension WorkerWatch {
  /// Returns the services that observe a server. Start them before it, so that it remains observable while it
  /// finishes its requests.
  ///
  /// - Parameter reading: sets further gauges before each scrape.
  func services(
    serving server: HTTPServer,
    _ probe: DatabaseProbe,
    _ database: Database,
    reading: @escaping @Sendable () -> Void
  ) -> [any Service] {
    let health: @Sendable () -> Health = {
      let isReady = probe.isReady
      return Health(
        isAlive: true,
        isReady: isReady,
        status: isReady ? "serving" : "no writable database was reached"
      )
    }
    return observers(health: health) { metrics in
      let pool = PoolGauges(database, metrics)
      return {
        server.readGauges()
        pool.read()
        reading()
      }
    }
  }
}
