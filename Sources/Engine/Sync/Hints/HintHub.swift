internal import Domain
package import FoundationEssentials
internal import Secrets
internal import Synchronization

/// The clients of one serving process that wait for changes of their companies.
///
/// A hint says that a company may have changes, and nothing about them: the client pulls, and gets what its member may
/// read. While a client waits, no connection to the database is held. All methods are safe on any thread.
package final class HintHub: Sendable {
  package typealias Instant = ContinuousClock.Instant

  private let limits: HintLimits
  private let key: [UInt8]
  private let waiting: Mutex<HintClients>
  private let clock: @Sendable () -> Instant

  /// - Parameters:
  ///   - key: the key of the hashes that stand for companies in notifications.
  ///   - clock: the current time.
  package init(
    key: [UInt8],
    _ limits: HintLimits = HintLimits(),
    clock: @escaping @Sendable () -> Instant = { .now }
  ) {
    self.key = key
    self.limits = limits
    self.clock = clock
    waiting = Mutex(HintClients(limits))
  }

  /// The numbers of open streams and of waiting requests.
  package var load: (streams: Int, requests: Int) {
    waiting.withLock { ($0.streamCount, $0.count - $0.streamCount) }
  }

  /// Opens a stream.
  ///
  /// - Parameter receive: gets the signals, until `end`. It must return at once, and ignore what follows `end`.
  /// - Returns: the number for ``leave(_:)``.
  /// - Throws: `unavailable` if too many clients wait or the server stops; `rate_limited` if the member has too many
  ///   streams.
  package func open(_ client: HintClient, _ receive: @escaping @Sendable (HintSignal) -> Void) throws -> Int {
    let jitter = Duration.milliseconds(Int64.random(in: -1_000...1_000)) * (limits.jitter / .seconds(1))
    return try enter(client, until: clock() + limits.life + jitter, receive)
  }

  /// Lets a request of a device wait. Call it before the pull that finds nothing, so that no change is missed.
  ///
  /// - Parameter time: the longest wait.
  /// - Throws: `unavailable` if too many clients wait or the server stops.
  package func wait(_ client: HintClient, for time: Duration) throws -> HintWait {
    let signals = HintWait.Signals()
    let number = try enter(client, until: clock() + time) { signal in signals.receive(signal) }
    return HintWait(hub: self, number: number, signals: signals)
  }

  private func enter(
    _ client: HintClient,
    until end: Instant,
    _ receive: @escaping @Sendable (HintSignal) -> Void
  ) throws -> Int {
    let (tag, now) = (tag(of: client.company), clock())
    let (number, post) = try waiting.withLock { waiting throws(DomainError) in
      try waiting.enter(client, tag: tag, until: end, now: now, receive)
    }
    deliver(post)
    return number
  }

  /// Removes a client that no longer waits.
  package func leave(_ number: Int) { _ = waiting.withLock { $0.leave(number) } }

  /// Tells the clients of the companies that a notification names; all clients for a text that cannot be read.
  package func notified(_ payload: String) {
    let words = payload.split(separator: " ")
    let tags = words.compactMap { $0.utf8.count == 16 ? UInt64($0, radix: 16) : nil }
    guard tags.count == words.count else { return missed() }
    let now = clock()
    deliver(
      waiting.withLock { waiting in
        var post: HintClients.Post = []
        for tag in tags { post += waiting.hint(tag, now: now) }
        return post
      }
    )
  }

  /// Tells all clients, spread over some seconds: notifications may have been missed.
  package func missed() {
    let (now, spread) = (clock(), limits.spread / .milliseconds(1))
    deliver(
      waiting.withLock { waiting in
        waiting.hintAll(now: now) { .milliseconds(Int64.random(in: 0...max(0, Int64(spread)))) }
      }
    )
  }

  /// Sends what is due.
  package func sweep() {
    let now = clock()
    deliver(waiting.withLock { $0.sweep(now: now) })
  }

  /// The waiting clients by number.
  package var clients: [(number: Int, client: HintClient)] { waiting.withLock(\.clients) }

  /// Ends the waits of clients whose credential has ended.
  package func end(_ numbers: [Int]) {
    deliver(
      waiting.withLock { waiting in
        var post: HintClients.Post = []
        for number in numbers { post += waiting.leave(number, telling: .end) }
        return post
      }
    )
  }

  /// Ends all waits, and refuses new ones.
  package func close() { deliver(waiting.withLock { $0.close() }) }

  /// Outside the lock, because receivers may call the hub.
  private func deliver(_ post: HintClients.Post) { for (receive, signal) in post { receive(signal) } }

  /// Returns the number that stands for a company in notifications, as `core.notify_sync` computes it.
  package func tag(of company: UUID) -> UInt64 {
    let bytes = withUnsafeBytes(of: company.uuid) { Array($0) }
    return SHA256.hash(key + bytes).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }
}
