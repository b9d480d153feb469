internal import FoundationEssentials
package import Postgres
internal import Store

/// An entry of a record's history, with display names.
package struct HistoryLine: RowDecodable, Sendable {
  package let seq: Int64
  package let at: Instant
  package let kind: String
  package let transition: String?
  package let from: String?
  package let to: String?
  package let actorKind: String
  package let actor: String
  package let onBehalfOf: String?
  package let comment: String?
  package let changes: JSON

  package init(row: inout RowReader) throws(PostgresError) {
    seq = try row.next()
    at = try row.next()
    kind = try row.next()
    transition = try row.next()
    from = try row.next()
    to = try row.next()
    actorKind = try row.next()
    actor = try row.next()
    onBehalfOf = try row.next()
    comment = try row.next()
    changes = try row.next()
  }
}
