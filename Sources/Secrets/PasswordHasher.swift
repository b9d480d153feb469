internal import CCrypt
internal import Glibc
internal import Synchronization

/// Hashes and verifies passwords with yescrypt, the memory-hard scheme of `crypt(3)`.
///
/// A hash takes some 20 ms and 16 MB at the default cost, so all work happens on a bounded pool and never on
/// the caller's executor; when the pool is full, calls throw `busy`.
package final class PasswordHasher: Sendable {
  /// How many characters (as a person counts them) a password may have.
  package static let acceptedLength = 12...128

  /// The cost that new hashes get, 1 to 11: each step doubles the memory from 3 on.
  package let cost: Int

  private let pool: ThreadPool
  /// A setting like those of real users, made at the first log-in of an unknown one.
  private let decoy = Mutex<String?>(nil)

  /// A hasher on a pool of its own: half of the cores, and at most `queueLimit` calls waiting.
  package convenience init(cost: Int = 5, queueLimit: Int = 64) {
    let cores = Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    self.init(cost: cost, pool: ThreadPool(threads: max(1, cores / 2), queueLimit: queueLimit))
  }

  /// A hasher that shares the pool with others.
  package init(cost: Int, pool: ThreadPool) {
    self.cost = cost
    self.pool = pool
  }

  /// Throws `unacceptablePassword` with the rule that the password breaks.
  package static func check(_ password: String) throws(SecretsError) {
    let (shortest, longest) = (acceptedLength.lowerBound, acceptedLength.upperBound)
    let hint = "use \(shortest) to \(longest) characters; a sentence does well"
    guard !password.utf8.contains(0) else {
      throw SecretsError(.unacceptablePassword, "the password holds a NUL character", hint: hint)
    }
    guard password.count >= shortest else {
      throw SecretsError(.unacceptablePassword, "the password is too short", hint: hint)
    }
    // crypt(3) takes fewer than 512 bytes; only 128 rather exotic characters can need more.
    guard password.count <= longest, password.utf8.count < 512 else {
      throw SecretsError(.unacceptablePassword, "the password is too long", hint: hint)
    }
  }

  /// A new hash with a salt of its own, in the text form of `crypt(5)` (`$y$…`).
  package func hash(_ password: String) async throws(SecretsError) -> String {
    try Self.check(password)
    let setting = try Yescrypt.setting(cost: cost)
    guard let hash = try await pool.run({ Yescrypt.hash(password, setting: setting) }) else {
      throw SecretsError(.libraryFailure, "crypt(3) refused to hash")
    }
    return hash
  }

  /// Whether the password is the one behind the hash.
  ///
  /// Pass `nil` for a user who does not exist: the answer is `false` after the same work as for one who
  /// does, so that its latency does not tell them apart.
  package func verify(_ password: String, against hash: String?) async throws(SecretsError) -> Bool {
    // No account can have such a password, so there is nothing to tell apart.
    guard (try? Self.check(password)) != nil else { return false }
    let setting = if let hash { hash } else { try decoySetting() }
    let computed = try await pool.run { Yescrypt.hash(password, setting: setting) }
    guard let computed else { return false }
    return hash != nil && constantTimeEqual(Array(computed.utf8), Array(setting.utf8))
  }

  /// Whether the hash is weaker than those made now (or no yescrypt), so that it should be replaced at the
  /// next successful log-in, the only moment when the password is at hand.
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
