package import API
internal import Hummingbird
internal import HummingbirdCore
package import Logging
internal import NIOCore
internal import ServiceLifecycle

/// Serves the API over HTTP/1.1, with `/livez` and `/readyz`.
///
/// On graceful shutdown it accepts no more connections, finishes the requests in flight, and closes all
/// connections.
package struct HTTPServer: Service {
  private let configuration: HTTPConfiguration
  private let adapter: HTTPAdapter
  private let register: ConnectionRegister
  private let logger: Logger
  private let onListening: @Sendable (Int) -> Void

  /// - Parameters:
  ///   - isReady: returns true if the database answered lately, for `/readyz`. It must return at once.
  ///   - metrics: counts requests; nil for none.
  ///   - logger: receives the server's own messages.
  ///   - accessLogger: receives a line for each request.
  ///   - onListening: called with the TCP port when the server is open.
  package init(
    _ api: API,
    _ configuration: HTTPConfiguration,
    isReady: @escaping @Sendable () -> Bool,
    metrics: RequestMetrics? = nil,
    logger: Logger,
    accessLogger: Logger,
    onListening: @escaping @Sendable (Int) -> Void = { _ in }
  ) {
    self.configuration = configuration
    adapter = HTTPAdapter(api, configuration, isReady: isReady, metrics: metrics, logger: accessLogger)
    register = ConnectionRegister(configuration.limits, trusted: configuration.trustedProxies)
    self.logger = logger
    self.onListening = onListening
  }

  /// Sets the gauges of requests in flight and open connections; call it before each scrape.
  package func readGauges() { adapter.setGauges(connections: register.total) }

  private enum End { case served, drained, other }

  /// Serves requests until graceful shutdown or cancellation.
  ///
  /// - Throws: ``ServerError`` if the address cannot be opened.
  package func run() async throws {
    let address = configuration.address
    do {
      try await serve(address)
    } catch let error as ServerError where error.isInUse && configuration.takesAnotherPort {
      try await serve(ListenAddress(host: address.host, port: 0))
    }
  }

  private func serve(_ address: ListenAddress) async throws {
    let channel = GuardedChannel(
      configuration.limits,
      register,
      adapter,
      responder: { [adapter] request, writer, channel in
        // A task keeps the memory that its deepest call has needed, here about 6 KB. That of the connection lives long
        // and is mostly idle; that of a request ends.
        let writer = WriterHandover(writer)
        async let answered: Void = adapter.respond(request, writer.take(), channel)
        try await answered
      }
    )
    // Operators need only the library's warnings and errors.
    var quiet = logger
    quiet.logLevel = max(logger.logLevel, .warning)
    let server = channel.server(
      configuration: ServerConfiguration(
        address: .hostname(address.host, port: address.port),
        backlog: 1_024
      ),
      onServerRunning: { [logger, adapter, onListening] channel in
        let port = channel.localAddress?.port ?? address.port
        adapter.listens(on: port)
        logger.info("serving the API", metadata: ["host": "\(address.host)", "port": "\(port)"])
        onListening(port)
      },
      eventLoopGroup: EventLoopGroupProvider.singleton.eventLoopGroup,
      logger: quiet
    )
    do {
      try await withThrowingTaskGroup(of: End.self) { group in
        group.addTask {
          try await server.run()
          return .served
        }
        group.addTask { [adapter] in
          await adapter.deadlines.run()
          return .other
        }
        group.addTask { [limits = configuration.limits] in
          try await gracefulShutdown()
          try await Task.sleep(for: limits.drainTime)
          return .drained
        }
        while let end = try await group.next() {
          if end == .drained {
            logger.warning("requests in flight are cancelled: they took too long to finish")
          }
          if end != .other { group.cancelAll() }
          if end == .served { return }
        }
      }
    } catch let error as CancellationError {
      throw error
    } catch {
      throw ServerError(address, error)
    }
  }
}
