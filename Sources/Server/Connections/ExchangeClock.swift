/// The deadlines of one connection, as a value without a clock of its own.
///
/// Each exchange awaits one part from the client at a time: a head, a body, or the reading of a response. The part has
/// a deadline, so a client that sends or reads byte by byte is disconnected. The time that the server needs does not
/// count.
struct ExchangeClock {
  typealias Instant = ContinuousClock.Instant

  /// The reason for which a connection is closed.
  enum Expiry: Equatable {
    /// No request began.
    case idle
    /// The head of a request took too long.
    case head
    /// The body of a request took too long.
    case body
    /// The client did not read the response.
    case response
    /// The time to read the last response is over.
    case linger
  }

  private enum Reading {
    case idle(since: Instant)
    case head(since: Instant)
    case body(since: Instant, bytes: Int)
  }

  private let limits: HTTPLimits
  private var reading: Reading
  /// True until the first request: an opened connection has the time of a head.
  private var isNew = true
  /// Requests whose head has arrived and whose response has not ended.
  private(set) var outstanding = 0
  /// Parts of responses that the client has not yet read, and the time until which it must read one.
  private var unread = 0
  private var readBy: Instant
  private var lingersUntil: Instant?
  /// Bytes since the last complete head, while one is awaited.
  private(set) var headBytes = 0

  init(_ limits: HTTPLimits, now: Instant) {
    self.limits = limits
    reading = .idle(since: now)
    readBy = now
  }

  /// True while the body of a request is awaited.
  var isReadingBody: Bool { if case .body = reading { true } else { false } }
  /// True if parts of responses are still to be read by the client.
  var hasUnread: Bool { unread > 0 }

  /// Bytes have arrived that are not decoded yet.
  mutating func bytesArrived(_ count: Int, now: Instant) {
    switch reading {
    case .idle:
      reading = .head(since: now)
      headBytes = count
    case .head: headBytes += count
    case .body: break
    }
  }

  /// The head of a request has arrived.
  mutating func headEnded(now: Instant) {
    isNew = false
    headBytes = 0
    outstanding += 1
    reading = .body(since: now, bytes: 0)
  }

  /// A part of a body has arrived.
  mutating func bodyArrived(_ count: Int) {
    if case .body(let since, let bytes) = reading { reading = .body(since: since, bytes: bytes + count) }
  }

  /// A request has arrived in full.
  mutating func requestEnded(now: Instant) { reading = .idle(since: now) }

  /// A part of a response is being sent.
  mutating func writeBegan(_ bytes: Int, now: Instant) {
    unread += 1
    readBy = max(readBy, now + limits.time(for: bytes))
  }

  /// A part of a response has been sent, or has failed.
  mutating func writeEnded(now: Instant) {
    unread -= 1
    readBy = max(readBy, now + limits.bodyTime)
  }

  /// A response has ended. The time of the awaited part starts now, because the server did not read during the response.
  mutating func responseEnded(now: Instant) {
    outstanding -= 1
    switch reading {
    case .idle where outstanding == 0: reading = .idle(since: now)
    case .head where outstanding == 0: reading = .head(since: now)
    case .body(_, let bytes) where outstanding == 1: reading = .body(since: now, bytes: bytes)
    default: break
    }
  }

  /// The last response has been sent, and the connection is to be closed.
  mutating func lingers(now: Instant) { lingersUntil = lingersUntil ?? now + limits.lingerTime }

  /// Returns the next deadline and the reason to close at it; nil while nothing from the client is awaited.
  ///
  /// - Parameter isCrowded: true if connections are scarce: idle ones are then closed early.
  func deadline(isCrowded: Bool = false) -> (at: Instant, expiry: Expiry)? {
    if let lingersUntil { return (lingersUntil, .linger) }
    var next: (at: Instant, expiry: Expiry)?
    if unread > 0 { next = (readBy, .response) }
    switch reading {
    case .idle(let since) where outstanding == 0 && unread == 0:
      let time = isNew ? limits.headTime : isCrowded ? min(limits.idleTime, .seconds(2)) : limits.idleTime
      return (since + time, .idle)
    case .head(let since) where outstanding == 0 && unread == 0: return (since + limits.headTime, .head)
    case .body(let since, let bytes) where outstanding <= 1:
      let end = since + limits.time(for: bytes)
      if next.map({ end < $0.at }) ?? true { next = (end, .body) }
    default: break
    }
    return next
  }
}
