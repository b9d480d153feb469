internal import Domain
internal import FoundationEssentials

/// The clients that wait, and when each is to hear something: a value without a clock.
struct HintClients {
  typealias Instant = ContinuousClock.Instant
  /// The number of a waiting client.
  typealias Number = Int
  /// Signals for clients, by their receivers.
  typealias Post = [(receive: @Sendable (HintSignal) -> Void, signal: HintSignal)]

  private struct Seat {
    let client: HintClient
    let tag: UInt64
    let receive: @Sendable (HintSignal) -> Void
    var endAt: Instant
    /// The time of the next sign of life; nil for a request.
    var commentAt: Instant?
    /// The time of a hint that is due; nil if none is.
    var hintAt: Instant?
    var lastHint: Instant?
  }

  private let limits: HintLimits
  private var seats: [Number: Seat] = [:]
  private var byTag: [UInt64: Set<Number>] = [:]
  private var streams: [UUID: Int] = [:]
  private var requests: [UUID: Number] = [:]
  private var last = 0
  private var isClosed = false

  init(_ limits: HintLimits) { self.limits = limits }

  /// The number of waiting clients.
  var count: Int { seats.count }
  /// The number of streams.
  var streamCount: Int { seats.count - requests.count }

  /// Lets a client wait.
  ///
  /// - Parameters:
  ///   - tag: stands for the client's company.
  ///   - end: the time at which the wait is over.
  /// - Returns: the number of the client, and the signals that follow.
  /// - Throws: `unavailable` if too many clients wait or the server stops, `rate_limited` if the member has too many
  ///   streams.
  mutating func enter(
    _ client: HintClient,
    tag: UInt64,
    until end: Instant,
    now: Instant,
    _ receive: @escaping @Sendable (HintSignal) -> Void
  ) throws(DomainError) -> (Number, Post) {
    guard !isClosed else { throw DomainError(.unavailable, "the server stops") }
    var post: Post = []
    var commentAt: Instant?
    switch client.purpose {
    case .stream:
      guard streams[client.user, default: 0] < limits.perMember else {
        throw DomainError(
          .rateLimited,
          "you have \(limits.perMember) open streams of hints",
          hint: "close one, or wait until one ends",
          details: ["limit": "streams", "retry_after": 30]
        )
      }
      commentAt = now + limits.commentEvery
    case .request(let device):
      if let older = requests[device] { post += leave(older, telling: .end) }
    }
    guard seats.count < limits.waiting else {
      throw DomainError(
        .unavailable,
        "too many clients wait for changes",
        hint: "ask without waiting"
      )
    }
    last += 1
    seats[last] = Seat(client: client, tag: tag, receive: receive, endAt: end, commentAt: commentAt)
    byTag[tag, default: []].insert(last)
    switch client.purpose {
    case .stream: streams[client.user, default: 0] += 1
    case .request(let device): requests[device] = last
    }
    return (last, post)
  }

  /// Removes a client.
  ///
  /// - Parameter signal: the last signal; nil for none.
  @discardableResult
  mutating func leave(_ number: Number, telling signal: HintSignal? = nil) -> Post {
    guard let seat = seats.removeValue(forKey: number) else { return [] }
    byTag[seat.tag]?.remove(number)
    if byTag[seat.tag]?.isEmpty == true { byTag[seat.tag] = nil }
    switch seat.client.purpose {
    case .stream:
      let rest = streams[seat.client.user, default: 1] - 1
      streams[seat.client.user] = rest > 0 ? rest : nil
    case .request(let device):
      if requests[device] == number { requests[device] = nil }
    }
    return signal.map { [(seat.receive, $0)] } ?? []
  }

  /// A company may have changes: its clients hear of it, each at most once in a pause.
  mutating func hint(_ tag: UInt64, now: Instant) -> Post {
    var post: Post = []
    for number in byTag[tag] ?? [] { post += hint(number, at: now, now: now) }
    return post
  }

  /// Any company may have changes: all clients hear of it, each at a time of its own.
  ///
  /// - Parameter delay: returns how much later than now a client hears of it.
  mutating func hintAll(now: Instant, delay: () -> Duration) -> Post {
    var post: Post = []
    for number in Array(seats.keys) { post += hint(number, at: now + delay(), now: now) }
    return post
  }

  private mutating func hint(_ number: Number, at time: Instant, now: Instant) -> Post {
    guard var seat = seats[number] else { return [] }
    let earliest = max(time, seat.lastHint.map { $0 + limits.pause } ?? time)
    let due = min(earliest, seat.hintAt ?? earliest)
    guard due <= now else {
      seat.hintAt = due
      seats[number] = seat
      return []
    }
    if case .request = seat.client.purpose { return leave(number, telling: .hint) }
    seat.hintAt = nil
    seat.lastHint = now
    seat.commentAt = now + limits.commentEvery
    seats[number] = seat
    return [(seat.receive, .hint)]
  }

  /// Returns the signals that are due.
  mutating func sweep(now: Instant) -> Post {
    var post: Post = []
    let due = seats.filter { _, seat in
      seat.endAt <= now || seat.hintAt.map { $0 <= now } ?? false || seat.commentAt.map { $0 <= now } ?? false
    }
    for (number, seat) in due {
      if seat.endAt <= now {
        post += leave(number, telling: .end)
      } else if let hintAt = seat.hintAt, hintAt <= now {
        post += hint(number, at: hintAt, now: now)
      } else {
        seats[number]?.commentAt = now + limits.commentEvery
        post.append((seat.receive, .comment))
      }
    }
    return post
  }

  /// The clients, by number, whose credentials are to be checked.
  var clients: [(number: Number, client: HintClient)] { seats.map { ($0.key, $0.value.client) } }

  /// Ends all waits, and refuses new ones.
  mutating func close() -> Post {
    isClosed = true
    var post: Post = []
    for number in Array(seats.keys) { post += leave(number, telling: .end) }
    return post
  }
}
