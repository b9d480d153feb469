internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOHTTPTypes

/// An HTTP/1.1 connection of the library, behind an ``ExchangeGuard``.
struct GuardedChannel: ServerChildChannel {
  typealias Value = HTTP1Channel.Value

  private let channel: HTTP1Channel

  init(
    _ limits: HTTPLimits,
    _ register: ConnectionRegister,
    refusal: @escaping @Sendable (HTTPRefusal) -> (head: HTTPResponse, body: ByteBuffer),
    responder: @escaping HTTPChannelHandler.Responder
  ) {
    channel = HTTP1Channel(
      responder: responder,
      configuration: HTTP1Channel.Configuration(
        additionalChannelHandlers: [ExchangeGuard(limits, register, refusal: refusal)],
        httpDecoderConfiguration: HTTP1Channel.Configuration.DecoderConfiguration(
          maxHeaderFieldSize: limits.headerBytes,
          maxHeaderListSize: limits.headerBytes,
          maxHeaderFieldCount: 100
        )
      )
    )
  }

  func setup(channel socket: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    channel.setup(channel: socket, logger: logger).flatMapThrowing { value in
      let pipeline = socket.pipeline.syncOperations
      let exchange = try pipeline.handler(type: ExchangeGuard.self)
      try pipeline.addHandler(ByteGuard(exchange), position: .first)
      return value
    }
  }

  func handle(value: Value, logger: Logger) async {
    await channel.handle(value: value, logger: logger)
  }
}
