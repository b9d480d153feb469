internal import Postgres

extension PostgresError {
  /// True if a constraint or a conversion rejected a value (SQLSTATE classes 22 and 23): a fault of the
  /// record, not of the transaction.
  var isRefusalOfValue: Bool {
    guard kind == .server, let state = sqlState?.rawValue else { return false }
    return state.hasPrefix("22") || state.hasPrefix("23")
  }
}
