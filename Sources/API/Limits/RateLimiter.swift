internal import Domain
internal import Engine
internal import FoundationEssentials
package import Secrets
package import Store
internal import Synchronization

/// The rate limits of this process: all processes on a database share their use.
///
/// Permits are taken from the database in blocks and spent from memory; see ``RateRule/block``. A limit that is
/// used up costs no query until its next permit comes back. Together, processes exceed a rule by at most one
/// block each, and exact rules not at all.
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
    [try await standing(rules.address, request.network)]
  }

  package func takeCaller(_ caller: Caller) async throws -> [RateStanding] {
    // All guests of a demo share one account.
    let account = caller.kind == .guest ? caller.session ?? caller.user : caller.user
    return [
      try await standing(rules.account, account.uuidString),
      try await standing(rules.company, caller.acting.company.id.uuidString),
    ]
  }

  package func take(_ rule: RateRule, _ subject: String) async throws {
    _ = try await standing(rule, subject)
  }

  /// Takes one permit.
  ///
  /// - Throws: `rate_limited`, `PostgresError`, `CancellationError`.
  package func standing(_ rule: RateRule, _ subject: String) async throws -> RateStanding {
    let key = RateLeases.Key(rule: rule, subject: subject)
    var turn = contents.withLock { $0.leases.take(key, now: now()) }
    if turn == .wait { turn = try await wait(key) }
    if turn == .lease { turn = try await lease(key) }
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
    case .lease, .wait: throw DomainError(.internal, "a rate limit was neither granted nor refused")
    }
  }

  /// Waits for the lease under way, or becomes the one that leases.
  private func wait(_ key: RateLeases.Key) async throws -> RateLeases.Turn {
    try await withCheckedThrowingContinuation { continuation in
      contents.withLock { contents in
        contents.lastWaiter += 1
        let waiter = contents.lastWaiter
        let turn = contents.leases.take(key, waiter: waiter, now: now())
        if turn == .wait {
          contents.waiters[waiter] = continuation
        } else {
          continuation.resume(returning: turn)
        }
      }
    }
  }

  /// Takes a block from the database, for this caller and those that wait.
  private func lease(_ key: RateLeases.Key) async throws -> RateLeases.Turn {
    do {
      let pepper = try keys().current(.pepper).bytes
      // The separator occurs in no name of a rule.
      let message = Array(key.rule.name.utf8) + [0] + Array(key.subject.utf8)
      let grants = try await store.take([
        RateStore.Request(
          key: HMACSHA256.code(for: message, key: pepper),
          rule: key.rule,
          wanted: key.rule.block
        )
      ])
      return contents.withLock { contents in
        let result = contents.leases.leased(key, grant: grants[0], now: now())
        for (waiter, turn) in result.others {
          contents.waiters.removeValue(forKey: waiter)?.resume(returning: turn)
        }
        return result.own
      }
    } catch {
      contents.withLock { contents in
        let (next, failed) = contents.leases.failed(key, passOn: error is CancellationError)
        if let next { contents.waiters.removeValue(forKey: next)?.resume(returning: .lease) }
        for waiter in failed { contents.waiters.removeValue(forKey: waiter)?.resume(throwing: error) }
      }
      throw error
    }
  }
}
