internal import API
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPTypes
internal import NIOHTTPTypesHTTP1

/// Decides by the first request of a connection who handles it: the library, or this handler for a stream of events.
///
/// The library keeps a task and several buffers for each connection, about 20 KB. A stream of events needs none of
/// these, and the handlers of HTTP leave its connection once the head of the response is sent.
final class RequestSwitch: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart

  private enum State {
    /// No request has begun.
    case fresh
    /// A stream was asked for. The parts are those of the request, for the library if the answer is another one.
    case asking([HTTPRequestPart], isWhole: Bool)
    /// The library handles the requests.
    case requests
    case stream(any EventSource)
    case closed
  }

  private let adapter: HTTPAdapter
  private let requests: EventLoopPromise<HTTP1Channel.Value?>
  private let logger: Logger
  private var state = State.fresh

  init(_ adapter: HTTPAdapter, _ requests: EventLoopPromise<HTTP1Channel.Value?>, logger: Logger) {
    self.adapter = adapter
    self.requests = requests
    self.logger = logger
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch state {
    case .fresh:
      let part = unwrapInboundIn(data)
      guard case .head(let head) = part, adapter.isEventStream(head) else {
        return handOver([part], context)
      }
      state = .asking([part], isWhole: false)
    case .asking(let parts, let isWhole):
      let part = unwrapInboundIn(data)
      guard !isWhole, case .end = part else { return handOver(parts + [part], context) }
      state = .asking(parts + [part], isWhole: true)
      if case .head(let head) = parts.first { ask(head, context) }
    case .requests: context.fireChannelRead(data)
    case .stream, .closed: break
    }
  }

  /// Opens the stream.
  private func ask(_ head: HTTPRequest, _ context: ChannelHandlerContext) {
    let (channel, bound) = (context.channel, NIOLoopBound((self, context), eventLoop: context.eventLoop))
    let peer = channel.remoteAddress?.ipAddress ?? ""
    // Not a child task: nobody waits for it but the handler, which outlives it.
    Task { [adapter] in
      let stream = await adapter.eventStream(head, peer: peer)
      channel.eventLoop.execute {
        let (handler, context) = bound.value
        handler.answered(stream, context)
      }
    }
  }

  private func answered(_ stream: HTTPAdapter.EventStream?, _ context: ChannelHandlerContext) {
    guard case .asking(let parts, _) = state else {
      stream?.source.stop()
      return
    }
    guard let stream else {
      handOver(parts, context)
      return context.fireChannelReadComplete()
    }
    state = .stream(stream.source)
    requests.succeed(nil)
    let pipeline = context.pipeline.syncOperations
    do {
      let bytes = try pipeline.handler(type: ByteGuard.self)
      bytes.becomeStream()
      try strip(pipeline)
      let out = try pipeline.context(handler: bytes)
      out.writeAndFlush(NIOAny(stream.head), promise: nil)
      start(stream.source, out)
    } catch {
      logger.error("a stream of events cannot begin", metadata: ["error": "\(error)"])
      context.close(promise: nil)
    }
  }

  /// Removes the handlers of HTTP.
  private func strip(_ pipeline: ChannelPipeline.SynchronousOperations) throws {
    pipeline.removeHandler(
      context: try pipeline.context(handlerType: HTTP1ToHTTPServerCodec.self),
      promise: nil
    )
    pipeline.removeHandler(context: try pipeline.context(handlerType: RequestForm.self), promise: nil)
    pipeline.removeHandler(context: try pipeline.context(handlerType: HTTPResponseEncoder.self), promise: nil)
    let decoder = try pipeline.context(handlerType: ByteToMessageHandler<HTTPRequestDecoder>.self)
    pipeline.removeHandler(context: decoder, promise: nil)
  }

  private func start(_ source: any EventSource, _ out: ChannelHandlerContext) {
    let (loop, bound) = (out.eventLoop, NIOLoopBound(out, eventLoop: out.eventLoop))
    source.start { part in
      loop.execute {
        let out = bound.value
        guard let part else { return out.close(promise: nil) }
        out.writeAndFlush(NIOAny(ByteBuffer(bytes: part)), promise: nil)
      }
    }
  }

  /// Lets the library handle the connection from now on.
  private func handOver(_ parts: [HTTPRequestPart], _ context: ChannelHandlerContext) {
    state = .requests
    do {
      try context.pipeline.syncOperations.addHandler(HTTPConnectionStateHandler(logger: logger))
      let channel = try HTTP1Channel.Value(
        wrappingChannelSynchronously: context.channel,
        configuration: .init(isOutboundHalfClosureEnabled: true)
      )
      requests.succeed(channel)
    } catch {
      requests.succeed(nil)
      return context.close(promise: nil)
    }
    for part in parts { context.fireChannelRead(wrapInboundOut(part)) }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    // A client that has finished sending before the library handles its connection has gone.
    let isGone = (event as? ChannelEvent) == .inputClosed
    switch state {
    case .fresh where isGone || event is ChannelShouldQuiesceEvent: context.close(promise: nil)
    case .stream where isGone || event is ChannelShouldQuiesceEvent: context.close(promise: nil)
    case .asking where isGone: context.close(promise: nil)
    default: context.fireUserInboundEventTriggered(event)
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    end()
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) { end() }

  private func end() {
    switch state {
    case .fresh, .asking: requests.succeed(nil)
    case .stream(let source): source.stop()
    case .requests, .closed: break
    }
    state = .closed
  }
}
