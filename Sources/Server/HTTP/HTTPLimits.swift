internal import NIOCore

/// The limits for clients of the API.
package struct HTTPLimits: Sendable {
  /// The maximum size of the header fields of a request, in bytes.
  package var headerBytes: Int
  /// The maximum length of the path and query of a request, in bytes.
  package var urlBytes: Int
  /// The maximum time for the head of a request, from its first byte, or from the opening of the connection.
  package var headTime: Duration
  /// The time for the body of a request, and for a client to read a part of a response. Bytes that arrive
  /// extend it, see ``bytesPerSecond``.
  package var bodyTime: Duration
  /// The rate at which bytes extend the time for a body: slower clients are disconnected.
  package var bytesPerSecond: Int
  /// The maximum time between a response and the next request.
  package var idleTime: Duration
  /// The time in which a client may read a response that closes its connection.
  package var lingerTime: Duration
  /// The maximum time of a handler, after which its task is cancelled.
  package var handlerTime: Duration
  /// The time in which an idle connection may bring one more request when the server shuts down. A proxy sends it before it
  /// knows that the connection ends.
  package var quietTime: Duration
  /// The time that requests in flight have when the server shuts down.
  package var drainTime: Duration
  /// The maximum number of bytes of a response that the kernel keeps before they are sent, unless a write is larger.
  package var unsentBytes: Int
  /// The maximum number of connections of a client's network. Trusted proxies are not limited.
  package var connectionsPerNetwork: Int
  /// The maximum number of connections in all.
  package var connections: Int
  /// The maximum number of requests in flight; a further one is answered with 503.
  package var requestsInFlight: Int

  /// Creates limits; the defaults suit a server on the internet.
  package init(
    headerBytes: Int = 16 * 1024,
    urlBytes: Int = 8 * 1024,
    headTime: Duration = .seconds(10),
    bodyTime: Duration = .seconds(20),
    bytesPerSecond: Int = 16 * 1024,
    idleTime: Duration = .seconds(60),
    lingerTime: Duration = .seconds(2),
    handlerTime: Duration = .seconds(15),
    quietTime: Duration = .milliseconds(500),
    drainTime: Duration = .seconds(10),
    unsentBytes: Int = 64 * 1024,
    connectionsPerNetwork: Int = 100,
    connections: Int = 12_000,
    requestsInFlight: Int = 512
  ) {
    self.headerBytes = headerBytes
    self.urlBytes = urlBytes
    self.headTime = headTime
    self.bodyTime = bodyTime
    self.bytesPerSecond = max(1, bytesPerSecond)
    self.idleTime = idleTime
    self.lingerTime = lingerTime
    self.handlerTime = handlerTime
    self.quietTime = quietTime
    self.drainTime = drainTime
    self.unsentBytes = unsentBytes
    self.connectionsPerNetwork = connectionsPerNetwork
    self.connections = connections
    self.requestsInFlight = requestsInFlight
  }

  /// Returns the time for a number of bytes at least.
  func time(for bytes: Int) -> Duration {
    bodyTime + .milliseconds(Int64(bytes) * 1_000 / Int64(bytesPerSecond))
  }
}
