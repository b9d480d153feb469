internal import Hummingbird
package import Logging
internal import ServiceLifecycle

/// Answers those who watch a process over HTTP: `/metrics` for Prometheus, `/healthz` for whoever ends what hangs,
/// `/readyz` for whoever sends work.
///
/// Nothing is asked of the one who asks, so it listens on the loopback unless told otherwise; what it says names no
/// company. It never asks the database: when that is away is when it is asked.
package struct WatchServer: Service {
  private let address: ListenAddress
  private let metrics: @Sendable () -> String
  private let health: @Sendable () -> Health
  private let logger: Logger

  /// - Parameters:
  ///   - metrics: what `/metrics` says, in the text format of Prometheus.
  ///   - health: how the process is at the moment.
  package init(
    _ address: ListenAddress,
    metrics: @escaping @Sendable () -> String,
    health: @escaping @Sendable () -> Health,
    logger: Logger
  ) {
    self.address = address
    self.metrics = metrics
    self.health = health
    self.logger = logger
  }

  /// Answers until graceful shutdown or cancellation.
  package func run() async throws {
    let router = Router()
    router.get("/metrics") { _, _ in
      Self.answer(.ok, metrics(), "text/plain; version=0.0.4; charset=utf-8")
    }
    router.get("/healthz") { _, _ in
      let health = health()
      return Self.answer(health.isAlive ? .ok : .serviceUnavailable, health.status + "\n")
    }
    router.get("/readyz") { _, _ in
      let health = health()
      return Self.answer(health.isReady ? .ok : .serviceUnavailable, health.status + "\n")
    }
    // What the framework itself has to say is not what operators look for.
    var quiet = logger
    quiet.logLevel = max(logger.logLevel, .warning)
    let application = Application(
      router: router,
      configuration: ApplicationConfiguration(address: .hostname(address.host, port: address.port)),
      onServerRunning: { [logger] channel in
        let port = channel.localAddress?.port ?? address.port
        logger.info("answering over HTTP", metadata: ["host": "\(address.host)", "port": "\(port)"])
      },
      logger: quiet
    )
    do {
      try await application.run()
    } catch let error as CancellationError {
      throw error
    } catch {
      throw ServerError(address: address, reason: "\(error)")
    }
  }

  private static func answer(
    _ status: HTTPResponse.Status,
    _ text: String,
    _ type: String = "text/plain; charset=utf-8"
  ) -> Response {
    var headers = HTTPFields()
    headers[.contentType] = type
    headers[.cacheControl] = "no-store"
    return Response(
      status: status,
      headers: headers,
      body: ResponseBody(byteBuffer: ByteBuffer(string: text))
    )
  }
}

/// A process cannot listen where it was told to.
package struct ServerError: Error, Sendable {
  package let address: ListenAddress
  package let reason: String
}
