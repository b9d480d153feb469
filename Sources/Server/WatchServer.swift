internal import Hummingbird
package import Logging
internal import ServiceLifecycle

/// The HTTP endpoint for `/metrics` (Prometheus), `/healthz` (liveness) and `/readyz` (readiness).
///
/// It has no authentication, so the default address is the loopback, and the content names no company.
/// Requests do not query the database, because they must also work while it is unavailable.
package struct WatchServer: Service {
  private let address: ListenAddress
  private let metrics: @Sendable () -> String
  private let health: @Sendable () -> Health
  private let logger: Logger

  /// - Parameters:
  ///   - metrics: returns the content of `/metrics` in Prometheus's text format.
  ///   - health: returns the current health of the process.
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

  /// Serves requests until graceful shutdown or cancellation.
  ///
  /// - Throws: ``ServerError`` if the address cannot be opened.
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
    // Operators need only the framework's warnings and errors.
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

/// An error while opening the listening socket.
package struct ServerError: Error, Sendable {
  package let address: ListenAddress
  package let reason: String
}
