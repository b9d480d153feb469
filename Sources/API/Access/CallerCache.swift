package import Engine
package import Postgres
internal import Secrets
internal import Synchronization

/// Remembers the bearers of credentials for a minute, by the SHA-256 of the presented secret.
///
/// An entry has the identity of the bearer, never rights: every transaction checks the credential and the rights
/// again, so it refuses a revoked session that is still in the cache.
package final class CallerCache: Sendable {
  private struct Entry {
    let caller: Caller
    let until: Int64
  }

  private struct Generations {
    var young: [[UInt8]: Entry] = [:]
    var old: [[UInt8]: Entry] = [:]
  }

  private let entries = Mutex(Generations())
  private let capacity: Int
  private let microseconds: Int64

  /// - Parameters:
  ///   - capacity: the maximum number of entries.
  ///   - seconds: the life of an entry.
  package init(capacity: Int = 50_000, seconds: Int64 = 60) {
    self.capacity = capacity
    microseconds = seconds * 1_000_000
  }

  /// Returns the bearer of a secret from the cache, otherwise from `find`. Only successes are cached.
  package func caller(
    _ secret: String,
    at now: Instant,
    _ find: () async throws -> Caller
  ) async throws -> Caller {
    let key = SHA256.hash(secret)
    let known = entries.withLock { $0.young[key] ?? $0.old[key] }
    if let known, known.until > now.microseconds { return known.caller }
    let found = try await find()
    let entry = Entry(caller: found, until: now.microseconds + microseconds)
    entries.withLock { entries in
      // Half of the entries are dropped at once, the older ones.
      if entries.young.count >= max(1, capacity / 2) {
        entries.old = entries.young
        entries.young = [:]
      }
      entries.young[key] = entry
    }
    return found
  }

  /// Forgets all entries, for example after a rotation of the keys.
  package func forgetAll() { entries.withLock { $0 = Generations() } }

  /// The number of entries, including expired ones.
  package var count: Int { entries.withLock { $0.young.count + $0.old.count } }
}
