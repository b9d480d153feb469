internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPTypesHTTP1

extension NIOBSDSocket.Option {
  /// `TCP_NOTSENT_LOWAT` of Linux, a limit for bytes that were written and not yet sent. The number instead of the
  /// name: this file needs nothing else of Glibc.
  fileprivate static let unsentBytes = Self(rawValue: 25)
}

/// An HTTP/1.1 connection behind an ``ExchangeGuard``, whose requests the library handles, unless the first one asks for
/// a stream of events.
struct GuardedChannel: ServerChildChannel {
  /// An open connection.
  struct Value: ServerChildChannelValue {
    let channel: any Channel
    /// The requests; nil for a stream of events, and for a connection that is closed before it has sent a request.
    let requests: EventLoopFuture<HTTP1Channel.Value?>
  }

  private let limits: HTTPLimits
  private let register: ConnectionRegister
  private let adapter: HTTPAdapter
  private let library: HTTP1Channel

  init(
    _ limits: HTTPLimits,
    _ register: ConnectionRegister,
    _ adapter: HTTPAdapter,
    responder: @escaping HTTPChannelHandler.Responder
  ) {
    self.limits = limits
    self.register = register
    self.adapter = adapter
    library = HTTP1Channel(responder: responder)
  }

  func setup(channel socket: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    socket.eventLoop.makeCompletedFuture {
      try limitUnsentBytes(socket)
      // A connection keeps its last buffer while it is idle. Most requests fit into 512 bytes; for others it grows.
      let buffers = AdaptiveRecvByteBufferAllocator(minimum: 64, initial: 512, maximum: 65_536)
      try socket.syncOptions?.setOption(.recvAllocator, value: buffers)
      let pipeline = socket.pipeline.syncOperations
      var decoder = NIOHTTPDecoderLimitConfiguration()
      decoder.maxHeaderFieldSize = limits.headerBytes
      decoder.maxHeaderListSize = limits.headerBytes
      decoder.maxHeaderFieldCount = 100
      let exchange = ExchangeGuard(limits, register) { [adapter] in adapter.answer(to: $0) }
      try pipeline.addHandler(ByteGuard(exchange))
      try pipeline.configureHTTPServerPipeline(
        // The asynchronous channel reads the next request after the response.
        withPipeliningAssistance: false,
        withErrorHandling: false,
        withOutboundHeaderValidation: false,
        withEncoderConfiguration: .init(),
        withDecoderLimitConfiguration: decoder
      )
      try pipeline.addHandler(RequestForm { [adapter] in adapter.host })
      try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
      try pipeline.addHandler(exchange)
      let requests = socket.eventLoop.makePromise(of: HTTP1Channel.Value?.self)
      try pipeline.addHandler(RequestSwitch(adapter, requests, logger: logger))
      return Value(channel: socket, requests: requests.futureResult)
    }
  }

  /// Limits what the kernel keeps for a client that reads slowly: by default it copies up to 4 MiB a connection. A Unix
  /// socket has no such option.
  private func limitUnsentBytes(_ socket: any Channel) throws {
    guard socket.localAddress?.port != nil else { return }
    let option = ChannelOptions.Types.SocketOption(level: .tcp, name: .unsentBytes)
    try socket.syncOptions?.setOption(option, value: numericCast(limits.unsentBytes))
  }

  func handle(value: Value, logger: Logger) async {
    let requests = await withTaskCancellationHandler {
      try? await value.requests.get()  // never fails
    } onCancel: {
      value.channel.close(promise: nil)
    }
    guard let requests else { return }
    await library.handle(value: requests, logger: logger)
  }
}
