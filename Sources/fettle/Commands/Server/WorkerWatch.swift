internal import CoreMetrics
internal import FoundationEssentials
internal import Jobs
internal import Logbook
internal import Logging
internal import Postgres
internal import Prometheus
internal import Server
internal import ServiceLifecycle

/// The observability of a worker or server process: its log, its metrics, and its health for systemd and HTTP.
struct WorkerWatch: Sendable {
  let logs: Logbook
  let logger: Logger
  /// The connection to systemd; nil unless systemd started the process and expects notifications.
  let manager: ServiceManager?
  /// The metrics; nil without an address for HTTP, since no client could read them.
  let metrics: MetricsRegistry?
  private let listen: ListenAddress?

  /// - Parameters:
  ///   - listen: the address for HTTP; nil for none.
  ///   - metrics: the descriptions of the metrics, besides those of every process.
  init(
    logs: Logbook,
    level: Logger.Level,
    listen: ListenAddress?,
    metrics descriptions: [MetricDescription] = JobMetricNames.all
  ) {
    self.logs = logs
    self.listen = listen
    logger = logs.logger("fettle", level: level)
    manager = ServiceManager(environment: ProcessInfo.processInfo.environment)
    metrics = listen.map { _ in MetricsRegistry(descriptions + ProcessMetrics.descriptions) }
  }

  /// Returns the services that observe a worker. Start them before the worker: services stop in reverse
  /// order, so the worker remains observable while it finishes its jobs.
  func services(around worker: Worker, _ database: Database) -> [any Service] {
    let health: @Sendable () -> Health = {
      let standing = worker.pulse.standing().standing
      return Health(isAlive: standing != .stalled, isReady: standing == .ready, status: worker.status)
    }
    let observers = observers(health: health) { metrics in
      let gauges = WorkerGauges(worker, metrics)
      let pool = PoolGauges(database, metrics)
      return {
        gauges.read()
        pool.read()
      }
    }
    guard let metrics else { return observers }
    return observers + [
      QueueGauges(database, metrics, logger: logger), SyncGauges(database, metrics, logger: logger),
    ]
  }

  /// Returns the notifier of systemd and, with an address for HTTP, the endpoint of metrics and health.
  ///
  /// - Parameter reading: returns a closure that sets gauges before each scrape.
  func observers(
    health: @escaping @Sendable () -> Health,
    reading: (MetricsRegistry) -> @Sendable () -> Void
  ) -> [any Service] {
    var services: [any Service] = [
      SystemdNotifier(manager, health: health, logger: logger) { [logs] in logs.sweep() }
    ]
    guard let listen, let metrics else { return services }
    if !listen.isLoopback {
      logger.warning(
        "metrics are readable by everybody who reaches this address",
        metadata: ["address": "\(listen)"]
      )
    }
    let process = ProcessMetrics(metrics)
    let read = reading(metrics)
    Meter(label: "fettle_build_info", dimensions: [("version", Version.number)], factory: metrics).set(1)
    metrics.beforeReading {
      process.read()
      read()
    }
    services.append(WatchServer(listen, metrics: { metrics.text() }, health: health, logger: logger))
    return services
  }
}
