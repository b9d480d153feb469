internal import CCrypt
internal import Glibc
internal import Synchronization

/// Hashes and verifies passwords with yescrypt, the memory-hard scheme of `crypt(3)`.
///
/// A hash takes about 20 ms and 16 MB at the default cost, so the work runs on a bounded pool and never on
/// the caller's executor. If the pool is full, calls throw `busy`.
package final class PasswordHasher: Sendable {
  /// The allowed number of characters of a password.
  package static let acceptedLength = 12...128

  /// The cost of new hashes, 1 to 11: from 3 on each step doubles the memory.
  package let cost: Int

  private let pool: ThreadPool
  /// The setting hashed for unknown users, equivalent to a real one; created at the first such log-in.
  private let decoy = Mutex<String?>(nil)

  /// Creates a hasher with its own pool: half of the cores, and at most `queueLimit` waiting calls.
  package convenience init(cost: Int = 5, queueLimit: Int = 64) {
    let cores = Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    self.init(cost: cost, pool: ThreadPool(threads: max(1, cores / 2), queueLimit: queueLimit))
  }

  /// Creates a hasher that shares a pool.
  package init(cost: Int, pool: ThreadPool) {
    self.cost = cost
    self.pool = pool
  }

  /// Throws `unacceptablePassword` with the violated rule.
  package static func check(_ password: String) throws(SecretsError) {
    let (shortest, longest) = (acceptedLength.lowerBound, acceptedLength.upperBound)
    let hint = "use \(shortest) to \(longest) characters; a sentence does well"
    guard !password.utf8.contains(0) else {
      throw SecretsError(.unacceptablePassword, "the password holds a NUL character", hint: hint)
    }
    guard password.count >= shortest else {
      throw SecretsError(.unacceptablePassword, "the password is too short", hint: hint)
    }
    // crypt(3) accepts fewer than 512 bytes; 128 characters can exceed that.
    guard password.count <= longest, password.utf8.count < 512 else {
      throw SecretsError(.unacceptablePassword, "the password is too long", hint: hint)
    }
  }

  /// Returns a hash with a new salt in the format of `crypt(5)` (`$y$…`).
  package func hash(_ password: String) async throws(SecretsError) -> String {
    try Self.check(password)
    let setting = try Yescrypt.setting(cost: cost)
    guard let hash = try await pool.run({ Yescrypt.hash(password, setting: setting) }) else {
      throw SecretsError(.libraryFailure, "crypt(3) refused to hash")
    }
    return hash
  }

  /// Returns true if the password matches the hash.
  ///
  /// Pass `nil` for an unknown user: the result is `false` after the same work, so that latency does not
  /// reveal whether the user exists.
  package func verify(_ password: String, against hash: String?) async throws(SecretsError) -> Bool {
    // No account can have such a password, so timing reveals nothing.
    guard (try? Self.check(password)) != nil else { return false }
    let setting = if let hash { hash } else { try decoySetting() }
    let computed = try await pool.run { Yescrypt.hash(password, setting: setting) }
    guard let computed else { return false }
    return hash != nil && constantTimeEqual(Array(computed.utf8), Array(setting.utf8))
  }

  /// True if the hash is weaker than new ones, or not yescrypt, and should be replaced at the next successful
  /// log-in, when the password is available.
  package func needsRehash(_ hash: String) -> Bool {
    guard let used = Yescrypt.cost(of: hash) else { return true }
    return used < cost
  }

  private func decoySetting() throws(SecretsError) -> String {
    let fresh = try Yescrypt.setting(cost: cost)
    return decoy.withLock { decoy in
      let setting = decoy ?? fresh
      decoy = setting
      return setting
    }
  }
}
