internal import FoundationEssentials
internal import Postgres
internal import Synchronization

/// Applies pauses and limits to one worker: of each limit, the worker runs at most as many jobs as it has
/// leased tokens.
///
/// Claimed jobs count as running even before they start.
final class LimitKeeper: Sendable {
  private struct Share {
    var leased = 0
    var used = 0
  }

  private struct State {
    var rules = JobRules()
    var declared = DeclaredLimits()
    var shares: [JobRules.TokenKey: Share] = [:]
  }

  private let state = Mutex(State())
  /// Tokens are leased and returned one call at a time, so that no job is claimed on tokens that are being
  /// returned.
  private let leasing = OneAtATime()
  private let database: Database
  private let now: @Sendable () -> ContinuousClock.Instant

  /// - Parameter now: the clock by which the times of running jobs are measured.
  init(_ database: Database, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
    self.database = database
    self.now = now
  }

  /// True if nothing is paused and none of the lanes is limited, which is the usual case.
  func isFree(_ lanes: [Lane]) -> Bool {
    state.withLock { state in
      state.rules.pauses.isEmpty && state.rules.limits.isEmpty
        && (state.declared.isEmpty || !lanes.contains { state.declared.limits($0.kind) })
    }
  }

  /// Sets the limits that handlers declare.
  func declare(_ limits: DeclaredLimits) { state.withLock { $0.declared = limits } }

  /// Reads the rules again.
  ///
  /// - Returns: true if they have changed.
  func reload() async throws -> Bool {
    let rules = try await JobRules.read(database)
    return state.withLock { state in
      defer { state.rules = rules }
      return state.rules != rules
    }
  }

  func isPaused(_ lane: Lane) -> Bool {
    state.withLock { $0.rules.isPaused(company: lane.company, queue: lane.queue, kind: lane.kind) }
  }

  private func limits(_ lane: Lane) -> [(limit: JobRules.Limit, key: JobRules.TokenKey)] {
    state.withLock { $0.rules.limits(company: lane.company, queue: lane.queue, kind: lane.kind) }
  }

  /// Returns the keys under which running jobs of a lane are counted.
  func keys(_ lane: Lane) -> [JobRules.TokenKey] {
    let declared = state.withLock { $0.declared.keys(of: lane) }
    return limits(lane).filter { $0.limit.maxRunning != nil }.map(\.key) + declared
  }

  /// Returns the number of jobs of a lane that the declared limits let run in addition to the running ones.
  private func room(for lane: Lane) -> Int {
    state.withLock { state in
      let isReplaced = state.rules.hasOwnLimit(company: lane.company, kind: lane.kind)
      return state.declared.room(for: lane, isReplaced: isReplaced, at: now()) {
        state.shares[$0]?.used ?? 0
      }
    }
  }

  /// Takes tokens for up to `wanted` jobs of a lane, and returns how many may be claimed now. They count as
  /// running until ``release(_:_:)``.
  func allow(_ wanted: Int, of lane: Lane, worker: UUID) async throws -> Int {
    guard !isFree([lane]) else { return wanted }
    return try await leasing.run {
      var allowed = min(wanted, room(for: lane))
      let limits = limits(lane)
      for (limit, key) in limits where limit.maxRunning != nil && allowed > 0 {
        let share = state.withLock { $0.shares[key] ?? Share() }
        if share.leased < share.used + allowed {
          let leased = try await JobRules.lease(share.used + allowed, of: key, worker: worker, database)
          state.withLock { $0.shares[key, default: Share()].leased = leased }
          allowed = max(0, min(allowed, leased - share.used))
        }
      }
      var taken: [(key: JobRules.TokenKey, count: Int)] = []
      for (limit, key) in limits where limit.rate != nil && allowed > 0 {
        allowed = try await JobRules.take(allowed, of: key, database).granted
        taken.append((key, allowed))
      }
      // A later rate may grant fewer.
      for (key, count) in taken where count > allowed {
        _ = try await JobRules.take(allowed - count, of: key, database)
      }
      for key in keys(lane) { state.withLock { $0.shares[key, default: Share()].used += allowed } }
      return allowed
    }
  }

  /// Returns the tokens of jobs that were allowed but not claimed.
  ///
  /// - Parameters:
  ///   - count: the number of claimed jobs.
  ///   - allowed: the number of allowed jobs.
  func claimed(_ count: Int, of allowed: Int, _ lane: Lane) async {
    guard count < allowed else { return }
    release(keys(lane), allowed - count)
    for (limit, key) in limits(lane) where limit.rate != nil {
      // Tokens that cannot be returned are missing until the rate has refilled.
      _ = try? await JobRules.take(count - allowed, of: key, database)
    }
  }

  /// Records that jobs of a lane were claimed, for the latency of their receivers.
  func begin(_ lane: Lane, _ jobs: Int) { state.withLock { $0.declared.begin(lane, jobs, at: now()) } }

  /// Records that claimed jobs of a lane have ended.
  func end(_ lane: Lane, _ jobs: Int) { state.withLock { $0.declared.end(lane, jobs, at: now()) } }

  /// Stops counting jobs as running.
  func release(_ keys: [JobRules.TokenKey], _ count: Int) {
    guard !keys.isEmpty, count > 0 else { return }
    state.withLock { state in
      for key in keys {
        let used = state.shares[key]?.used ?? 0
        state.shares[key]?.used = max(0, used - count)
      }
    }
  }

  /// Returns tokens that no job uses, so that other workers can lease them.
  func trim(worker: UUID) async throws {
    try await leasing.run {
      let spare = state.withLock { $0.shares.filter { $0.value.leased > $0.value.used } }
      for (key, share) in spare {
        let leased = try await JobRules.lease(share.used, of: key, worker: worker, database)
        state.withLock { $0.shares[key]?.leased = leased }
      }
    }
  }

  /// Forgets all leased tokens, because the worker was declared lost.
  func forget() {
    state.withLock {
      $0.shares = [:]
      $0.declared.forgetRunning()
    }
  }
}
