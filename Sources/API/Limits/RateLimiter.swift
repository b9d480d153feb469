internal import Domain
package import Engine
internal import FoundationEssentials
package import Secrets
package import Store
internal import Synchronization

/// The rate limits of this process: all processes on a database share their use.
///
/// Permits are taken from the database in blocks and spent from memory; see ``RateRule/block``. One statement takes the
/// permits of all callers that wait; see ``RateLeases``. A limit that is used up costs no query until its next permit
/// comes back. Together, processes exceed a rule by at most one block each, and exact rules not at all.
package final class RateLimiter: RequestLimiter, ExactLimiter {
  /// The rules for requests.
  package struct Rules: Sendable {
    package var address: RateRule
    package var account: RateRule
    package var company: RateRule

    package init(address: RateRule = .address, account: RateRule = .account, company: RateRule = .company) {
      self.address = address
      self.account = account
      self.company = company
    }
  }

  private struct Contents {
    var leases = RateLeases()
    var waiters: [Int: CheckedContinuation<RateLeases.Turn, any Error>] = [:]
    var lastWaiter = 0
    /// True while a task takes permits from the database.
    var isTaking = false
  }

  private let store: RateStore
  private let keys: @Sendable () throws -> Keys
  private let rules: Rules
  private let now: @Sendable () -> ContinuousClock.Instant
  private let onRefusal: @Sendable (RateRule) -> Void
  private let contents = Mutex(Contents())

  /// - Parameters:
  ///   - store: connected as `fettle_app`.
  ///   - keys: returns the keys; the pepper hashes the subjects.
  ///   - rules: the rules for requests.
  ///   - now: the clock for the time until a permit comes back.
  ///   - onRefusal: called with the rule of each refused request, for metrics.
  package init(
    _ store: RateStore,
    keys: @escaping @Sendable () throws -> Keys,
    rules: Rules = Rules(),
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
    onRefusal: @escaping @Sendable (RateRule) -> Void = { _ in }
  ) {
    self.store = store
    self.keys = keys
    self.rules = rules
    self.now = now
    self.onRefusal = onRefusal
  }

  package func takeNetwork(_ request: APIRequest) async throws -> [RateStanding] {
    let networks = request.networks
    let own = try await standing(rules.address, networks.own)
    guard let site = networks.site else { return [own] }
    return [own, try await standing(rules.address.ofSite, site)]
  }

  package func takeCaller(_ caller: Caller) async throws -> [RateStanding] {
    // All guests of a demo share one account.
    let account = caller.kind == .guest ? caller.session ?? caller.user : caller.user
    return [
      try await standing(rules.account, .id(account)),
      try await standing(rules.company, .id(caller.acting.company.id)),
    ]
  }

  package func take(_ rule: RateRule, _ subject: RateSubject) async throws {
    _ = try await standing(rule, subject)
  }

  /// Takes one permit.
  ///
  /// - Throws: `rate_limited`, `PostgresError`, `CancellationError`.
  package func standing(_ rule: RateRule, _ subject: RateSubject) async throws -> RateStanding {
    let key = RateLeases.Key(rule: rule, subject: subject)
    let turn =
      if let turn = contents.withLock({ $0.leases.take(key, now: now()) }) { turn } else {
        try await wait(key)
      }
    switch turn {
    case .granted(let standing): return standing
    case .refused(let retryAfter, _):
      onRefusal(rule)
      let period = rule.period.wholeSeconds
      throw DomainError(
        .rateLimited,
        "more than \(rule.count) in \(period) seconds",
        details: ["limit": .string(rule.name), "retry_after": .integer(max(1, retryAfter.wholeSeconds))]
      )
    }
  }

  /// Waits for the next round. The permit of a caller that is cancelled meanwhile is lost.
  private func wait(_ key: RateLeases.Key) async throws -> RateLeases.Turn {
    let waiter = contents.withLock { contents in
      contents.lastWaiter += 1
      return contents.lastWaiter
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let (turn, begins) = contents.withLock { contents -> (RateLeases.Turn?, Bool) in
          // A round may have ended since, with permits left. Another round would replace them.
          if let turn = contents.leases.take(key, now: now()) { return (turn, false) }
          contents.waiters[waiter] = continuation
          contents.leases.wait(key, waiter: waiter)
          defer { contents.isTaking = true }
          return (nil, !contents.isTaking)
        }
        if let turn { return continuation.resume(returning: turn) }
        // Not a child task: the end of this caller must not end the wait of the others.
        if begins { Task.detached { await self.takeRounds() } }
        // A cancellation before the registration found no continuation.
        if Task.isCancelled { resume(waiter, .failure(CancellationError())) }
      }
    } onCancel: {
      resume(waiter, .failure(CancellationError()))
    }
  }

  /// Takes permits from the database until nobody waits.
  private func takeRounds() async {
    while true {
      let round = contents.withLock { contents in
        let round = contents.leases.begin()
        if round.isEmpty { contents.isTaking = false }
        return round
      }
      guard !round.isEmpty else { return }
      do {
        let grants = try await store.take(try requests(of: round))
        for (share, grant) in zip(round, grants) {
          let turns = contents.withLock { $0.leases.granted(share, grant, now: now()) }
          for (waiter, turn) in turns { resume(waiter, .success(turn)) }
        }
      } catch {
        for waiter in round.flatMap(\.waiters) { resume(waiter, .failure(error)) }
      }
    }
  }

  private func requests(of round: [RateLeases.Share]) throws -> [RateStore.Request] {
    let pepper = try keys().current(.pepper).bytes
    return round.map { share in
      // The separator occurs in no name of a rule.
      let message = Array(share.key.rule.name.utf8) + [0] + Array(share.key.subject.description.utf8)
      return RateStore.Request(
        key: HMACSHA256.code(for: message, key: pepper),
        rule: share.key.rule,
        wanted: share.wanted
      )
    }
  }

  private func resume(_ waiter: Int, _ result: Result<RateLeases.Turn, any Error>) {
    contents.withLock { $0.waiters.removeValue(forKey: waiter) }?.resume(with: result)
  }
}
