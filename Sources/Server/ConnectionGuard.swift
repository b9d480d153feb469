internal import NIOCore
internal import NIOHTTPTypes

/// Closes a connection whose exchange takes too long or whose request is too large.
///
/// An exchange lasts from the opening of the connection, or the end of the previous response, until its own
/// response has been sent. So the limit includes a head that arrives byte by byte, a body that does not end,
/// a client that does not read, and the time between two requests.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private let limits: WatchServer.Limits
  private let connections: OpenConnections
  private var deadline: Scheduled<Void>?
  /// The size of the current request's body so far, in bytes.
  private var bodyBytes = 0

  /// - Parameters:
  ///   - limits: the limits of the endpoint.
  ///   - connections: the open connections, to which this one is added.
  init(_ limits: WatchServer.Limits, _ connections: OpenConnections) {
    self.limits = limits
    self.connections = connections
  }

  func handlerAdded(context: ChannelHandlerContext) {
    connections.add(context.channel)?.close(promise: nil)
    beginExchange(context)
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    deadline?.cancel()
    connections.remove(context.channel)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head: bodyBytes = 0
    case .body(let bytes): bodyBytes += bytes.readableBytes
    case .end: break
    }
    guard bodyBytes <= limits.bodyBytes else { return context.close(promise: nil) }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard case .end = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
    let sent = promise ?? context.eventLoop.makePromise(of: Void.self)
    sent.futureResult.assumeIsolated().whenSuccess { self.beginExchange(context) }
    context.write(data, promise: sent)
  }

  /// Gives the next exchange its full time.
  private func beginExchange(_ context: ChannelHandlerContext) {
    deadline?.cancel()
    deadline = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(limits.exchange)) {
      context.close(promise: nil)
    }
  }
}
