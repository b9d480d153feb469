internal import FoundationEssentials
internal import Postgres

/// Runs code with the operator's rights inside a transaction of the owner.
///
/// The owner of the tables is subject to row-level security, and no policy gives it rows. As the
/// operator, the transaction enters a company like every other command.
enum OperatorView {
  /// Runs a body as the operator, under row-level security, and becomes the owner again. If the body throws, the
  /// role is not restored: the caller rolls back.
  static func look<Value>(_ tx: Transaction, _ body: (Transaction) throws -> Value) throws -> Value {
    try tx.execute("set local role fettle_admin")
    try tx.execute("set local row_security = on")
    let value = try body(tx)
    try tx.execute("select set_config('fettle.company_id', '', true)")
    try tx.execute("set local row_security = off")
    try tx.execute("set local role fettle_owner")
    return value
  }

  /// Enters a company.
  static func enter(_ company: UUID, _ tx: Transaction) throws {
    try tx.execute("select set_config('fettle.company_id', \(company.uuidString), true)")
  }
}
