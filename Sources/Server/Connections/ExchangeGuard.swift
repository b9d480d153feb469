internal import Hummingbird
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPTypes

/// Closes connections of slow clients, and of those beyond the limits; answers requests that cannot be decoded.
///
/// The library closes only connections that are idle. See ``ExchangeClock`` for the rules.
final class ExchangeGuard: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private let limits: HTTPLimits
  private let register: ConnectionRegister
  /// Returns the answer to a request that cannot be decoded.
  private let refusal: @Sendable (HTTPRefusal) -> (head: HTTPResponse, body: ByteBuffer)
  private var clock: ExchangeClock
  private var place: ConnectionRegister.Place?
  private var timer: (task: Scheduled<Void>, at: ContinuousClock.Instant)?
  /// True once the last response of the connection has begun.
  private var closesAfterResponse = false
  /// True once the server shuts down: the next response is the last one, and says so.
  private var isQuiescing = false
  /// True once nothing more is read.
  private var isClosing = false
  /// A close that waits until the responses have been sent.
  private var pendingClose: EventLoopPromise<Void>??
  /// A refusal that waits until the responses before it have been sent.
  private var pendingRefusal: HTTPRefusal?
  /// True once the last request of the connection has begun.
  private var isLast = false

  init(
    _ limits: HTTPLimits,
    _ register: ConnectionRegister,
    refusal: @escaping @Sendable (HTTPRefusal) -> (head: HTTPResponse, body: ByteBuffer)
  ) {
    self.limits = limits
    self.register = register
    self.refusal = refusal
    clock = ExchangeClock(limits, now: .now)
  }

  func handlerAdded(context: ChannelHandlerContext) {
    if context.channel.isActive { begin(context) }
  }

  func channelActive(context: ChannelHandlerContext) {
    begin(context)
    context.fireChannelActive()
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    timer?.task.cancel()
    timer = nil
    if let place { register.remove(place) }
    place = nil
  }

  /// Counts the connection, and refuses it if there are too many.
  private func begin(_ context: ChannelHandlerContext) {
    guard place == nil, !isClosing else { return }
    place = register.add(context.channel.remoteAddress?.ipAddress ?? "")
    guard place != nil else {
      isClosing = true
      return context.close(mode: .all, promise: nil)
    }
    clock = ExchangeClock(limits, now: .now)
    schedule(context)
  }

  // Reading.

  /// Bytes have arrived from the network.
  func bytesArrived(_ count: Int) { clock.bytesArrived(count, now: .now) }

  /// The bytes have been decoded as far as possible.
  ///
  /// - Parameter context: the context of this handler's neighbour.
  func bytesDecoded(_ context: ChannelHandlerContext) {
    guard !isClosing, clock.headBytes > limits.headerBytes + limits.urlBytes + 4_096 else { return }
    context.pipeline.syncOperations.fireErrorCaught(HTTPParserError.headerOverflow)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isClosing, pendingRefusal == nil else { return }
    switch unwrapInboundIn(data) {
    case .head(let head):
      clock.headEnded(now: .now)
      isLast = head.headerFields[.connection] == "close"
    case .body(let bytes): clock.bodyArrived(bytes.readableBytes)
    case .end: clock.requestEnded(now: .now)
    }
    context.fireChannelRead(data)
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    schedule(context)
    context.fireChannelReadComplete()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // The reader of the body must learn that it is incomplete.
    guard !clock.isReadingBody else { return context.fireErrorCaught(error) }
    // Bytes behind the last request are ignored; its response ends the connection.
    guard !isClosing, !isLast, pendingRefusal == nil else { return }
    guard let refusal = HTTPRefusal(error) else { return context.close(mode: .all, promise: nil) }
    if clock.outstanding > 0 { pendingRefusal = refusal } else { refuse(context, refusal) }
  }

  /// Answers a request that was not decoded, and closes the connection.
  private func refuse(_ context: ChannelHandlerContext, _ refusal: HTTPRefusal) {
    pendingRefusal = nil
    clock.headEnded(now: .now)
    clock.requestEnded(now: .now)
    let (head, body) = self.refusal(refusal)
    write(context: context, data: wrapOutboundOut(.head(head)), promise: nil)
    write(context: context, data: wrapOutboundOut(.body(body)), promise: nil)
    write(context: context, data: wrapOutboundOut(.end(nil)), promise: nil)
    context.flush()
  }

  // Writing.

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    var part = unwrapOutboundIn(data)
    var bytes = 0
    switch part {
    case .head(var head):
      if isQuiescing, clock.outstanding <= 1 {
        head.headerFields[.connection] = "close"
        part = .head(head)
      }
      if head.headerFields[.connection] == "close" { closesAfterResponse = true }
    case .body(let body): bytes = body.readableBytes
    case .end: break
    }
    let sent = promise ?? context.eventLoop.makePromise(of: Void.self)
    let isEnd = if case .end = part { true } else { false }
    clock.writeBegan(bytes, now: .now)
    if isEnd { clock.responseEnded(now: .now) }
    sent.futureResult.assumeIsolated().whenComplete { result in
      self.wrote(context, isEnd: isEnd, isSent: (try? result.get()) != nil)
    }
    context.write(wrapOutboundOut(part), promise: sent)
    schedule(context)
  }

  /// A part of a response has been sent to the network, or has failed.
  private func wrote(_ context: ChannelHandlerContext, isEnd: Bool, isSent: Bool) {
    clock.writeEnded(now: .now)
    guard isSent, place != nil else { return }
    if isEnd, closesAfterResponse, clock.outstanding == 0 { linger(context) }
    if isEnd, !isClosing, clock.outstanding == 0, let pendingRefusal { refuse(context, pendingRefusal) }
    if !clock.hasUnread, let pendingClose {
      self.pendingClose = nil
      return context.close(mode: .all, promise: pendingClose)
    }
    schedule(context)
  }

  /// Closes the sending side, and ignores further bytes. Closing at once would reset the connection, and the
  /// client could lose the response.
  private func linger(_ context: ChannelHandlerContext) {
    guard !isClosing else { return }
    isClosing = true
    clock.lingers(now: .now)
    context.close(mode: .output, promise: nil)
    schedule(context)
  }

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    // The library closes after the last response during shutdown, even if it has not been sent in full.
    guard mode == .all, clock.hasUnread, !isClosing, place != nil else {
      return context.close(mode: mode, promise: promise)
    }
    pendingClose = .some(promise)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if let event = event as? ChannelShouldQuiesceEvent, place != nil, !isQuiescing {
      isQuiescing = true
      if clock.outstanding == 0, !isClosing { return quiesce(context, event) }
    }
    context.fireUserInboundEventTriggered(event)
    // The client has closed its side, and the last response has been sent: nothing more can happen.
    if isClosing, let event = event as? ChannelEvent, event == .inputClosed {
      context.close(mode: .all, promise: nil)
    }
  }

  /// Closes an idle connection after a while, unless a request comes meanwhile. Closing at once would lose a request that
  /// is on its way, and a proxy repeats only some of them.
  private func quiesce(_ context: ChannelHandlerContext, _ event: ChannelShouldQuiesceEvent) {
    context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(limits.quietTime)) {
      guard self.place != nil, !self.isClosing else { return }
      context.fireUserInboundEventTriggered(event)
    }
  }

  // Deadlines.

  /// Sets the timer for the next deadline. A timer that is too early is kept, and set again when it fires.
  private func schedule(_ context: ChannelHandlerContext) {
    guard place != nil, let (deadline, _) = clock.deadline(isCrowded: register.isCrowded) else { return }
    // Idle connections are checked every few seconds, because their time depends on the number of connections.
    let at = min(deadline, .now + .seconds(10))
    if let timer, timer.at <= at { return }
    timer?.task.cancel()
    let task = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(max(.zero, at - .now))) {
      self.timer = nil
      self.expire(context)
    }
    timer = (task, at)
  }

  private func expire(_ context: ChannelHandlerContext) {
    guard place != nil, let (deadline, expiry) = clock.deadline(isCrowded: register.isCrowded),
      deadline <= .now
    else { return schedule(context) }
    if expiry == .body, !isClosing {
      // A handler that reads the body answers now, within the time of a linger.
      isClosing = true
      clock.lingers(now: .now)
      context.fireErrorCaught(BodyTimedOut())
      return schedule(context)
    }
    context.close(mode: .all, promise: nil)
  }
}

/// The body of a request arrived too slowly.
struct BodyTimedOut: Error {}

/// Tells an ``ExchangeGuard`` of the bytes that arrive, before they are decoded.
final class ByteGuard: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private let exchange: ExchangeGuard
  /// True once the connection is a stream of events: the handlers behind can no longer read.
  private var isStream = false

  init(_ exchange: ExchangeGuard) {
    self.exchange = exchange
  }

  /// Ignores what the client sends from now on.
  func becomeStream() { isStream = true }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isStream else { return }
    exchange.bytesArrived(unwrapInboundIn(data).readableBytes)
    context.fireChannelRead(data)
    exchange.bytesDecoded(context)
  }
}
