/// What a ``PostgresError`` holds, as a value that can be filled in step by step.
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
  var statement: String?
  /// The function of the server that reported the error; it tells apart what shares an SQLSTATE.
  var reportedBy: String?
}
