internal import CCrypt
internal import Glibc
internal import Synchronization

/// Hashes and verifies passwords with yescrypt, the memory-hard scheme of `crypt(3)`.
///
/// A hash takes about 20 ms and 16 MB at the default cost, so the work runs on a bounded pool and never on
/// the caller's executor. If all threads are busy and the queue is full, calls throw `busy`.
package final class PasswordHasher: Sendable {
  /// The allowed number of characters in a password.
  package static let acceptedLength = 12...128

  /// The cost of new hashes, from 1 to 11. From 3 on, each step doubles the memory.
  package let cost: Int

  /// The passwords that the operator excludes; nil for none.
  private let excluded: PasswordList?
  private let pool: ThreadPool
  /// The setting that is hashed for unknown users, of the same cost as a new one; created at the first such
  /// log-in.
  private let decoy = Mutex<String?>(nil)

  /// Creates a hasher with a pool of its own: half as many threads as cores, and at most `queueLimit` waiting
  /// calls.
  ///
  /// - Parameter excluded: the passwords that the operator excludes; nil for none.
  package convenience init(cost: Int = 5, queueLimit: Int = 64, excluded: PasswordList? = nil) {
    let cores = Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    let pool = ThreadPool(threads: max(1, cores / 2), queueLimit: queueLimit)
    self.init(cost: cost, pool: pool, excluded: excluded)
  }

  /// Creates a hasher that uses an existing pool.
  package init(cost: Int, pool: ThreadPool, excluded: PasswordList? = nil) {
    self.cost = cost
    self.excluded = excluded
    self.pool = pool
  }

  /// Checks that a new password does not consist of parts that others can guess.
  ///
  /// - Parameter context: texts about the person, such as names and addresses, whose words are easy to guess.
  /// - Throws: `unacceptablePassword` as ``check(_:)``, and if the password is easy to guess or excluded.
  package func checkNew(_ password: String, context: [String]) throws(SecretsError) {
    try Self.check(password)
    guard !GuessablePassword(context: context).matches(password) else {
      throw SecretsError(
        .unacceptablePassword,
        "the password is easy to guess",
        hint: "use a sentence, and not only names, common words, dates and rows of keys"
      )
    }
    guard excluded?.contains(password) != true else {
      throw SecretsError(
        .unacceptablePassword,
        "the password is in a list of known passwords",
        hint: "use another one, such as a sentence of your own"
      )
    }
  }

  /// Checks the length of a password, and that it can be hashed.
  ///
  /// - Throws: `unacceptablePassword` if it has fewer than 12 or more than 128 characters, 512 bytes or more,
  ///   or a NUL character.
  package static func check(_ password: String) throws(SecretsError) {
    let (shortest, longest) = (acceptedLength.lowerBound, acceptedLength.upperBound)
    let hint = "use \(shortest) to \(longest) characters, such as a sentence"
    guard !password.utf8.contains(0) else {
      throw SecretsError(.unacceptablePassword, "the password contains a NUL character", hint: hint)
    }
    guard password.count >= shortest else {
      throw SecretsError(.unacceptablePassword, "the password is too short", hint: hint)
    }
    // crypt(3) accepts fewer than 512 bytes, which 128 characters can exceed.
    guard password.count <= longest, password.utf8.count < 512 else {
      throw SecretsError(.unacceptablePassword, "the password is too long", hint: hint)
    }
  }

  /// Returns a hash with a new salt, in the format of `crypt(5)` (`$y$…`).
  ///
  /// - Throws: `unacceptablePassword`, `busy` or `libraryFailure`.
  package func hash(_ password: String) async throws(SecretsError) -> String {
    try Self.check(password)
    let setting = try Yescrypt.setting(cost: cost)
    guard let hash = try await pool.run({ Yescrypt.hash(password, setting: setting) }) else {
      throw SecretsError(.libraryFailure, "crypt(3) could not hash the password")
    }
    return hash
  }

  /// Returns true if the password matches the hash.
  ///
  /// Pass nil for an unknown user: the result is false after the same work, so that latency does not reveal
  /// whether the user exists.
  ///
  /// - Throws: `busy`, or `libraryFailure` for an unknown user.
  package func verify(_ password: String, against hash: String?) async throws(SecretsError) -> Bool {
    // No account can have such a password, so the short time reveals nothing.
    guard (try? Self.check(password)) != nil else { return false }
    let setting = if let hash { hash } else { try decoySetting() }
    let computed = try await pool.run { Yescrypt.hash(password, setting: setting) }
    guard let computed else { return false }
    return hash != nil && constantTimeEqual(Array(computed.utf8), Array(setting.utf8))
  }

  /// Returns the hash of a password under the setting of a stored one: its method, parameters and salt. The caller
  /// compares it with the stored hash where that one is.
  ///
  /// Pass nil for an unknown user: the result is nil after the same work, so that latency does not reveal whether
  /// the user exists.
  ///
  /// - Returns: nil for an unknown user, and for a password that no account can have.
  /// - Throws: `busy`, or `libraryFailure` for an unknown user.
  package func hash(_ password: String, under setting: String?) async throws(SecretsError) -> String? {
    // No account can have such a password, so the short time reveals nothing.
    guard (try? Self.check(password)) != nil else { return nil }
    let known = if let setting { setting } else { try decoySetting() }
    let computed = try await pool.run { Yescrypt.hash(password, setting: known) }
    return setting == nil ? nil : computed
  }

  /// True if the hash has a lower cost than new ones, or is not a yescrypt hash. Replace it at the next
  /// successful log-in, when the password is available.
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
