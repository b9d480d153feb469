internal import Hummingbird
internal import HummingbirdCore
package import Logging
internal import ServiceLifecycle

/// The HTTP endpoint for `/metrics` (Prometheus), `/healthz` (liveness) and `/readyz` (readiness).
///
/// It has no authentication, so the default address is the loopback, and the content names no company.
/// Requests do not query the database, because they must also work while it is unavailable.
package struct WatchServer: Service {
  /// The limits for clients.
  package struct Limits: Sendable {
    /// The maximum time from one response to the end of the next one, or from the opening of the connection.
    package var exchange: Duration
    /// The maximum size of the head of a request, in bytes.
    package var headBytes: Int
    /// The maximum size of the body of a request, in bytes; no request needs one.
    package var bodyBytes: Int
    /// The maximum number of open connections; the oldest one is closed for a new one.
    package var connections: Int

    /// Creates limits; the defaults suit monitoring systems.
    package init(
      exchange: Duration = .seconds(30),
      headBytes: Int = 16 * 1024,
      bodyBytes: Int = 16 * 1024,
      connections: Int = 64
    ) {
      self.exchange = exchange
      self.headBytes = headBytes
      self.bodyBytes = bodyBytes
      self.connections = connections
    }
  }

  private let address: ListenAddress
  private let limits: Limits
  private let metrics: @Sendable () -> String
  private let health: @Sendable () -> Health
  private let logger: Logger
  private let onListening: @Sendable (Int) -> Void

  /// - Parameters:
  ///   - limits: the limits for clients.
  ///   - metrics: returns the content of `/metrics` in Prometheus's text format.
  ///   - health: returns the current health of the process.
  ///   - onListening: called with the TCP port when the endpoint is open.
  package init(
    _ address: ListenAddress,
    limits: Limits = Limits(),
    metrics: @escaping @Sendable () -> String,
    health: @escaping @Sendable () -> Health,
    logger: Logger,
    onListening: @escaping @Sendable (Int) -> Void = { _ in }
  ) {
    self.address = address
    self.limits = limits
    self.metrics = metrics
    self.health = health
    self.logger = logger
    self.onListening = onListening
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
    let connections = OpenConnections(limit: limits.connections)
    let application = Application(
      router: router,
      server: .http1(
        configuration: HTTP1Channel.Configuration(
          additionalChannelHandlers: [ConnectionGuard(limits, connections)],
          httpDecoderConfiguration: HTTP1Channel.Configuration.DecoderConfiguration(
            maxHeaderFieldSize: limits.headBytes,
            maxHeaderListSize: limits.headBytes,
            maxHeaderFieldCount: 100
          )
        )
      ),
      configuration: ApplicationConfiguration(address: .hostname(address.host, port: address.port)),
      onServerRunning: { [logger, onListening] channel in
        let port = channel.localAddress?.port ?? address.port
        logger.info("answering over HTTP", metadata: ["host": "\(address.host)", "port": "\(port)"])
        onListening(port)
      },
      logger: quiet
    )
    do {
      try await application.run()
    } catch let error as CancellationError {
      throw error
    } catch {
      throw ServerError(address, error)
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
