/// The state of a connection's current or last transaction.
struct TransactionState {
  enum Phase {
    /// No transaction.
    case none
    /// The body is running; `begin` may not have been sent yet.
    case open
    /// The transaction has ended although the body is still running; further statements are rejected.
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
  /// The first error of the transaction; after an error of the server, the server accepts a rollback only.
  var failure: PostgresError?
  /// The time at which the body started.
  var began = ContinuousClock.now
  /// The transaction id for `pg_xact_status`; `nil` until the server has sent it.
  var id: String?
  /// Number of open savepoints.
  var depth = 0
  /// Number of cursors opened so far, for their names.
  var cursors = 0
  /// What to call once the transaction is committed.
  var afterCommit: [() -> Void] = []
}
