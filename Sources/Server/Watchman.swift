package import Logging
internal import ServiceLifecycle

/// Looks every moment how the process is, and tells the service manager: ready once it is, alive as long as it is,
/// and that it is stopping.
///
/// It is the process's own work that keeps it alive in systemd's eyes: when that stands still, nothing is told any
/// more, and systemd ends the process.
package struct Watchman: Service {
  private let manager: ServiceManager?
  private let health: @Sendable () -> Health
  private let logger: Logger
  private let everyMoment: @Sendable () -> Void
  private let moment: Duration

  /// - Parameters:
  ///   - manager: whom to tell; nil: nobody, but changes are logged all the same.
  ///   - moment: how often it looks.
  ///   - everyMoment: what else is to be done as often.
  package init(
    _ manager: ServiceManager?,
    health: @escaping @Sendable () -> Health,
    logger: Logger,
    moment: Duration = .seconds(1),
    everyMoment: @escaping @Sendable () -> Void = {}
  ) {
    self.manager = manager
    self.health = health
    self.logger = logger
    self.moment = manager?.watchdog.map { min(moment, $0 / 3) } ?? moment
    self.everyMoment = everyMoment
  }

  /// Looks until graceful shutdown or cancellation.
  package func run() async throws {
    await cancelWhenGracefulShutdown {
      var wasReady: Bool?
      var told: Health?
      while !Task.isCancelled {
        let now = health()
        if now.isReady, wasReady != true {
          manager?.tell(.ready, .status(now.status))
          logger.info("ready", metadata: ["status": "\(now.status)"])
        } else if !now.isReady, wasReady == true {
          logger.warning("not ready", metadata: ["status": "\(now.status)"])
        }
        if now.isReady || wasReady != nil { wasReady = now.isReady }
        if now.isAlive { manager?.tell(.alive) }
        if now.status != told?.status { manager?.tell(.status(now.status)) }
        if !now.isAlive, told?.isAlive != false {
          logger.error("the work stands still", metadata: ["status": "\(now.status)"])
        }
        told = now
        everyMoment()
        try? await Task.sleep(for: moment)  // cancelled: the loop's condition ends it
      }
    }
  }
}
