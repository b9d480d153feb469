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

  /// Removes the second factor and its recovery codes; false if sign-in required none.
  package static func remove(of user: UUID, _ tx: Transaction) throws -> Bool {
    try tx.value("select core.remove_second_factor(\(user))", as: Bool.self)
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
