internal import CoreMetrics
internal import FoundationEssentials
internal import Jobs
internal import Logbook
internal import Logging
internal import Postgres
internal import Prometheus
internal import Server
internal import ServiceLifecycle

/// The observability of a worker process: its log, its metrics, and its health for systemd and HTTP.
struct WorkerWatch: Sendable {
  let logs: Logbook
  let logger: Logger
  /// The connection to systemd; nil unless systemd started the process and expects notifications.
  let manager: ServiceManager?
  /// The metrics; nil without an address for HTTP, since no client could read them.
  let metrics: MetricsRegistry?
  private let listen: ListenAddress?

  /// - Parameter listen: the address for HTTP; nil for none.
  init(logs: Logbook, level: Logger.Level, listen: ListenAddress?) {
    self.logs = logs
    self.listen = listen
    logger = logs.logger("fettle", level: level)
    manager = ServiceManager(environment: ProcessInfo.processInfo.environment)
    metrics = listen.map { _ in MetricsRegistry(JobMetricNames.all + ProcessMetrics.descriptions) }
  }

  /// Returns the services that observe a worker. Start them before the worker: services stop in reverse
  /// order, so the worker remains observable while it finishes its jobs.
  func services(around worker: Worker, _ database: Database) -> [any Service] {
    let health: @Sendable () -> Health = {
      let standing = worker.pulse.standing().standing
      return Health(isAlive: standing != .stalled, isReady: standing == .ready, status: worker.status)
    }
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
    let gauges = WorkerGauges(worker, metrics)
    let pool = PoolGauges(database, metrics)
    Meter(label: "fettle_build_info", dimensions: [("version", Version.number)], factory: metrics).set(1)
    metrics.beforeReading {
      process.read()
      gauges.read()
      pool.read()
    }
    services.append(WatchServer(listen, metrics: { metrics.text() }, health: health, logger: logger))
    services.append(QueueGauges(database, metrics, logger: logger))
    return services
  }
}
