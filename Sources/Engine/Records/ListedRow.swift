internal import Domain
internal import Postgres
internal import Store

/// A row of a list.
struct ListedRow: RowDecodable, Sendable {
  let document: JSON
  /// The row's sort values as text; nil for null.
  let place: [String?]
  let answers: [Bool?]

  init(row: inout RowReader) throws(PostgresError) {
    document = try row.next()
    place = try row.next()
    answers = try row.next()
  }
}
