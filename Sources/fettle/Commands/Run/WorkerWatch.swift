internal import CoreMetrics
internal import FoundationEssentials
internal import Jobs
internal import Logbook
internal import Logging
internal import Postgres
internal import Prometheus
internal import Server
internal import ServiceLifecycle

/// How a worker process is watched: its log, its metrics, and who is told how it is.
struct WorkerWatch: Sendable {
  let logs: Logbook
  let logger: Logger
  /// systemd, if it started the process and wants to know.
  let manager: ServiceManager?
  /// Nil: nobody can ask for metrics, so none are counted.
  let metrics: MetricsRegistry?
  private let listen: ListenAddress?

  /// - Parameter listen: where to answer over HTTP; nil: nowhere.
  init(logs: Logbook, level: Logger.Level, listen: ListenAddress?) {
    self.logs = logs
    self.listen = listen
    logger = logs.logger("fettle", level: level)
    manager = ServiceManager(environment: ProcessInfo.processInfo.environment)
    metrics = listen.map { _ in MetricsRegistry(JobMetricNames.all + ProcessMetrics.descriptions) }
  }

  /// What runs beside a worker so that it can be watched. They come before it: services are stopped from the last to
  /// the first, and a worker that finishes what it has is watched while it does.
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
