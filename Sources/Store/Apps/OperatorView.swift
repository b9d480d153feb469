internal import FoundationEssentials
internal import Postgres

/// Leaves the owner's role for a moment, inside its transaction.
///
/// The owner of the tables is subject to their policies, and no policy admits it. The operator's login, which
/// began the transaction, enters a company as all commands do.
enum OperatorView {
  /// Runs a body as the login, under row-level security.
  static func look<Value>(_ tx: Transaction, _ body: (Transaction) throws -> Value) throws -> Value {
    try tx.execute("set local role none")
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
