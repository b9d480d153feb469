/// Where the transaction of a connection stands.
struct TransactionState {
  enum Phase {
    /// No transaction is under way.
    case none
    /// The body runs; `begin` may not have been sent yet.
    case open
    /// The body may run on, but the transaction takes no more statements.
    case ended
  }

  /// Tells one transaction of a connection from the next, so that a stale one is noticed.
  var number = 0
  var phase = Phase.none
  var options = TransactionOptions()
  /// `begin` and the settings have been sent.
  var isBegun = false
  /// Statements that travel ahead of the next ones: savepoints, releases, closed cursors.
  var ahead: [SQL] = []
  /// How many round trips the transaction has made.
  var rounds = 0
  /// The server has answered a statement of the body, so the body cannot be run again unnoticed.
  var isAnswered = false
  /// The error after which the server refuses everything but a rollback.
  var failure: PostgresError?
  /// When the body began.
  var began = ContinuousClock.now
  /// What `pg_xact_status` can be asked about.
  var id: String?
  var depth = 0
  var cursors = 0
}
