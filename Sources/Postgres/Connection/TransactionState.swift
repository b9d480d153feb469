/// The state of a connection's transaction.
struct TransactionState {
  enum Phase {
    /// No transaction.
    case none
    /// The body is running; `begin` may not have been sent yet.
    case open
    /// The transaction has ended although the body is still running; further statements are refused.
    case ended
  }

  /// Identifies the transaction within its connection, so that the use of an ended one is detected.
  var number = 0
  var phase = Phase.none
  var options = TransactionOptions()
  /// True if `begin` and the settings have been sent.
  var isBegun = false
  /// Statements to send ahead of the next ones: savepoints, releases, closed cursors.
  var ahead: [SQL] = []
  /// Round trips of the transaction so far.
  var rounds = 0
  /// True if the server has answered a statement of the body; after that the body cannot be repeated
  /// transparently.
  var isAnswered = false
  /// The error that aborted the transaction: the server now accepts a rollback only.
  var failure: PostgresError?
  /// The time when the body started.
  var began = ContinuousClock.now
  /// The transaction id for `pg_xact_status`.
  var id: String?
  var depth = 0
  var cursors = 0
}
