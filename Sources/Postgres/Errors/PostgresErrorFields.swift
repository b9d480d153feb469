/// The mutable fields of a ``PostgresError``.
struct PostgresErrorFields: Sendable {
  var kind: PostgresError.Kind
  var message: String
  var sqlState: SQLState?
  var detail: String?
  var hint: String?
  var constraint: String?
  var schema: String?
  var table: String?
  var column: String?
  var position: Int?
  var innerPosition: Int?
  var innerStatement: String?
  var statement: String?
  /// The server function that reported the error; distinguishes errors with the same SQLSTATE.
  var reportedBy: String?
}
