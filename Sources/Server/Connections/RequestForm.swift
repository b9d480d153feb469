internal import NIOCore
internal import NIOHTTP1

/// Decides which request of a connection is the last one, and gives requests of HTTP/1.0 the form of later ones.
///
/// A request is the last one if its field `Connection` has the token `close`, or if it is one of HTTP/1.0, whose
/// connections persist only if both sides agree. The handlers behind see `Connection: close` alone.
final class RequestForm: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  /// Returns the host of the server, for a request that names none.
  private let host: @Sendable () -> String
  private var requests = 0
  private var responses = 0
  /// The number of the request of HTTP/1.0, whose response must not be in chunks.
  private var older: Int?
  /// True from the head of the last request on.
  private var isLast = false
  /// True once the last request has arrived in full.
  private var isOver = false

  init(host: @escaping @Sendable () -> String) { self.host = host }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isOver else { return }
    var part = unwrapInboundIn(data)
    switch part {
    case .head(var head):
      requests += 1
      let isOlder = (head.version.major, head.version.minor) < (1, 1)
      isLast = isOlder || !head.isKeepAlive
      if isOlder {
        older = requests
        // HTTP/1.0 has neither.
        head.headers.remove(name: "expect")
        if !head.headers.contains(name: "host") { head.headers.add(name: "host", value: host()) }
      }
      if isLast { head.headers.replaceOrAdd(name: "connection", value: "close") }
      part = .head(head)
    case .body: break
    case .end: isOver = isLast
    }
    context.fireChannelRead(wrapInboundOut(part))
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    var part = unwrapOutboundIn(data)
    if case .head(var head) = part, head.status.code >= 200 {
      responses += 1
      if responses == older {
        head.version = .http1_0
        part = .head(head)
      }
    }
    context.write(wrapOutboundOut(part), promise: promise)
  }
}
