package import FoundationEssentials
package import Postgres

/// The confirmed second factor of a user.
package struct SecondFactorRow: RowDecodable, Sendable {
  /// The shared secret, encrypted.
  package let sealedSecret: [UInt8]
  package let confirmedAt: Instant
  /// The number of recovery codes that were not used yet.
  package let codesLeft: Int64

  package init(row: inout RowReader) throws(PostgresError) {
    sealedSecret = try row.next()
    confirmedAt = try row.next()
    codesLeft = try row.next()
  }
}

/// Second factors and recovery codes. Only entry functions read and write them.
package enum SecondFactorStore {
  /// Returns the confirmed second factor of a user; nil if sign-in requires none.
  package static func factor(of user: UUID, _ tx: Transaction) throws -> SecondFactorRow? {
    try tx.first(
      "select f.sealed_secret, f.confirmed_at, f.codes_left from core.second_factor_of(\(user)) f",
      as: SecondFactorRow.self
    )
  }

  /// Returns the encrypted secret that the user has not confirmed yet; nil if there is none.
  package static func pending(of user: UUID, _ tx: Transaction) throws -> [UInt8]? {
    try tx.value("select core.pending_factor_of(\(user))", as: [UInt8]?.self)
  }

  /// Stores a secret to confirm; a confirmed one stays in use until then.
  package static func begin(_ sealedSecret: [UInt8], of user: UUID, _ tx: Transaction) throws {
    try tx.execute("select core.begin_second_factor(\(user), \(sealedSecret))")
  }

  /// Puts the secret in use and replaces the recovery codes; false if another secret is to be confirmed.
  ///
  /// - Parameter step: the time step of the code that confirms it, which is then used up.
  package static func confirm(
    _ sealedSecret: [UInt8],
    of user: UUID,
    step: Int64,
    codeHashes: [[UInt8]],
    _ tx: Transaction
  ) throws -> Bool {
    try tx.value(
      "select core.confirm_second_factor(\(user), \(sealedSecret), \(step), \(codeHashes))",
      as: Bool.self
    )
  }

  /// Replaces the recovery codes.
  package static func replaceCodes(_ codeHashes: [[UInt8]], of user: UUID, _ tx: Transaction) throws {
    try tx.execute("select core.replace_recovery_codes(\(user), \(codeHashes))")
  }

  /// Removes the second factor and its recovery codes; false if sign-in required none.
  package static func remove(of user: UUID, _ tx: Transaction) throws -> Bool {
    try tx.value("select core.remove_second_factor(\(user))", as: Bool.self)
  }

  /// Counts an attempt to give a code; false if there were too many.
  package static func countAttempt(of user: UUID, _ tx: Transaction) throws -> Bool {
    try tx.value("select core.count_factor_attempt(\(user))", as: Bool.self)
  }

  /// Accepts the code of a time step; false if one of this step or a later one was accepted before.
  package static func use(step: Int64, of user: UUID, _ tx: Transaction) throws -> Bool {
    try tx.value("select core.use_totp_step(\(user), \(step))", as: Bool.self)
  }

  /// Accepts a recovery code; false if it is unknown or was used before.
  package static func use(codeHash: [UInt8], of user: UUID, _ tx: Transaction) throws -> Bool {
    try tx.value("select core.use_recovery_code(\(user), \(codeHash))", as: Bool.self)
  }
}
