internal import Domain

/// Shares a worker's places among the jobs that wait for servers of customers, by the time that they occupy.
///
/// A company whose receiver is quick may use several places, because it soon returns them. The share of a company
/// shrinks as the latency of its receiver grows, down to one place. A new company begins with one place. Late and
/// new companies together leave places to companies with quick receivers, so that any number of late companies cannot
/// delay them.
///
/// A value without a clock: the times of events are given to it.
struct ReceiverShares: Sendable {
  typealias Instant = ContinuousClock.Instant

  /// The latency up to which a receiver is quick.
  static let quick: Duration = .seconds(1)
  /// The number of companies and kinds whose latency is remembered, about 100 bytes each.
  private static let mostKnown = 10_000

  /// The kinds that share the places.
  private let kinds: Set<String>
  /// The number of jobs that may run at once.
  let places: Int
  /// The latencies of receivers by key. A growing one counts at once, a falling one over some jobs.
  private var latencies: [JobRules.TokenKey: Duration] = [:]
  /// The start times of running jobs.
  private var running: [JobRules.TokenKey: [Instant]] = [:]

  init(kinds: Set<String> = [], places: Int = 1) {
    self.kinds = kinds
    self.places = max(1, places)
  }

  /// True if jobs of a kind use the places.
  func contains(_ kind: String) -> Bool { kinds.contains(kind) }

  /// Records that jobs begin.
  mutating func begin(_ key: JobRules.TokenKey, _ jobs: Int, at now: Instant) {
    running[key, default: []] += Array(repeating: now, count: jobs)
  }

  /// Records that jobs have ended. Those that began first are taken for the ended ones.
  mutating func end(_ key: JobRules.TokenKey, _ jobs: Int, at now: Instant) {
    guard let starts = running[key] else { return }
    for start in starts.prefix(jobs) { learn(start.duration(to: now), of: key) }
    running[key] = starts.count > jobs ? Array(starts.dropFirst(jobs)) : nil
  }

  /// Forgets the running jobs, because their leases were lost.
  mutating func forgetRunning() { running = [:] }

  /// Returns the number of jobs of a key that may begin in addition to the running ones.
  ///
  /// - Parameters:
  ///   - limit: the share of a company with a quick receiver; nil if an operator has set another limit.
  ///   - used: returns the number of running jobs of a key, with those that are about to begin.
  ///   - all: the number of running jobs of all keys.
  func room(
    for key: JobRules.TokenKey,
    limit: Int?,
    all: Int,
    at now: Instant,
    used: (JobRules.TokenKey) -> Int
  ) -> Int {
    // Until a job has ended, nothing is known but that the receiver is not quick.
    let own =
      limit.map { (latencies[key] == nil ? 1 : share($0, latency(of: key, at: now))) - used(key) } ?? .max
    let common: Int
    switch latency(of: key, at: now) {
    case nil:
      common = places - places / 8 - all
    case .some(let latency) where latency > Self.quick:
      let late = running.keys.reduce(0) { sum, other in
        (self.latency(of: other, at: now) ?? .zero) > Self.quick ? sum + used(other) : sum
      }
      common = min(places - places / 4 - late, places - places / 8 - all)
    default:
      common = places - all
    }
    return max(0, min(own, common))
  }

  /// Returns the number of places of a company. The product of places and latency has a limit.
  private func share(_ limit: Int, _ latency: Duration?) -> Int {
    guard let latency, latency > Self.quick else { return limit }
    return max(1, Int(clamping: Double(limit) * (Self.quick / latency)))
  }

  /// Returns the latency of a receiver; nil if no job has ended and none has run for long. A job that still runs takes
  /// at least as long as it has run.
  private func latency(of key: JobRules.TokenKey, at now: Instant) -> Duration? {
    let oldest = running[key]?.first.map { $0.duration(to: now) } ?? .zero
    guard let known = latencies[key] else { return oldest > Self.quick ? oldest : nil }
    return max(known, oldest)
  }

  private mutating func learn(_ latency: Duration, of key: JobRules.TokenKey) {
    if latencies.count > Self.mostKnown { latencies = [:] }
    let known = latencies[key] ?? .zero
    latencies[key] = latency > known ? latency : known * 0.75 + latency * 0.25
  }
}
