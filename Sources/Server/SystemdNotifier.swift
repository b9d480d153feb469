package import Logging
internal import ServiceLifecycle

/// Reports the health of the process to systemd at regular intervals: readiness, watchdog keep-alives and
/// status.
///
/// It sends a keep-alive only while the process is alive. If the process makes no progress, keep-alives stop,
/// and systemd restarts it.
package struct SystemdNotifier: Service {
  private let manager: ServiceManager?
  private let health: @Sendable () -> Health
  private let logger: Logger
  private let onInterval: @Sendable () -> Void
  private let interval: Duration

  /// - Parameters:
  ///   - manager: nil outside systemd; changes of health are then only logged.
  ///   - health: returns the current health of the process.
  ///   - interval: the time between two reports, reduced to a third of the watchdog interval if that is
  ///     shorter.
  ///   - onInterval: called after each report.
  package init(
    _ manager: ServiceManager?,
    health: @escaping @Sendable () -> Health,
    logger: Logger,
    interval: Duration = .seconds(1),
    onInterval: @escaping @Sendable () -> Void = {}
  ) {
    self.manager = manager
    self.health = health
    self.logger = logger
    self.interval = manager?.watchdog.map { min(interval, $0 / 3) } ?? interval
    self.onInterval = onInterval
  }

  /// Reports until graceful shutdown or cancellation.
  package func run() async throws {
    await cancelWhenGracefulShutdown {
      var wasReady: Bool?
      var reported: Health?
      while !Task.isCancelled {
        let now = health()
        if now.isReady, wasReady != true {
          manager?.notify(.ready, .status(now.status))
          logger.info("ready", metadata: ["status": "\(now.status)"])
        } else if !now.isReady, wasReady == true {
          logger.warning("not ready", metadata: ["status": "\(now.status)"])
        }
        if now.isReady || wasReady != nil { wasReady = now.isReady }
        if now.isAlive { manager?.notify(.alive) }
        if now.status != reported?.status { manager?.notify(.status(now.status)) }
        if !now.isAlive, reported?.isAlive != false {
          logger.error("no progress", metadata: ["status": "\(now.status)"])
        }
        reported = now
        onInterval()
        try? await Task.sleep(for: interval)  // cancellation ends the loop
      }
    }
  }
}
