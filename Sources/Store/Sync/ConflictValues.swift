package import FoundationEssentials
package import Postgres

/// What happened to a field of a record since the version that a device knew.
package struct FieldPast: RowDecodable, Sendable {
  /// The position of the change in the list that was asked about.
  package let place: Int
  package let field: String
  /// False if the history since that version is not known whole, so that nobody can tell the value then.
  package let isTold: Bool
  /// True if the field was changed.
  package let isChanged: Bool
  /// The value that the field had at that version, if it was changed since.
  package let before: JSON?
  /// The person who changed the field last, their name then, and the time.
  package let person: UUID?
  package let name: String?
  package let at: Instant?

  package init(row: inout RowReader) throws(PostgresError) {
    place = try row.next()
    field = try row.next()
    isTold = try row.next()
    isChanged = try row.next()
    before = try row.next()
    person = try row.next()
    name = try row.next()
    at = try row.next()
  }

  /// A field of a change, and the version of the record that the device knew.
  package struct Question: Sendable {
    package let place: Int
    package let type: String
    package let record: UUID
    package let base: Int64
    package let field: String

    package init(place: Int, type: String, record: UUID, base: Int64, field: String) {
      self.place = place
      self.type = type
      self.record = record
      self.base = base
      self.field = field
    }
  }

  /// The most entries of a record's history that are read for a change; with more, the value then is not told.
  private static let mostEntries: Int64 = 500

  /// Selects the pasts of fields, from the history of their records.
  package static func query(_ questions: [Question], company: UUID) -> SQL {
    """
    select x.place, x.field, h.is_told, h.is_changed, h.before, h.person,
      coalesce(core.name_at(h.person, h.at), h.actor_name), h.at
    from unnest(
      \(questions.map { Int32(clamping: $0.place) }), \(questions.map(\.type)), \(questions.map(\.record)),
      \(questions.map(\.base)), \(questions.map(\.field))
    ) x (place, type, record, base, field)
    cross join lateral (
      select coalesce(bool_and(e.version is not null and octet_length(e.salt) > 0), true)
          and count(*) <= \(mostEntries) as is_told,
        coalesce(bool_or(e.changes ? x.field), false) as is_changed,
        (array_agg(e.changes -> x.field -> 0 order by e.seq) filter (where e.changes ? x.field))[1] as before,
        (array_agg(coalesce(e.on_behalf_of, e.actor_id) order by e.seq desc) filter (where e.changes ? x.field))[1]
          as person,
        (array_agg(e.actor_name order by e.seq desc) filter (where e.changes ? x.field))[1] as actor_name,
        max(e.occurred_at) filter (where e.changes ? x.field) as at
      from (
        select h.seq, h.version, h.salt, h.changes, h.on_behalf_of, h.actor_id, h.actor_name, h.occurred_at
        from core.history h
        where h.company_id = \(company) and h.record_type = x.type and h.record_id = x.record
          and (h.version is null and h.seq > 1 or h.version > x.base)
        order by h.seq desc
        limit \(mostEntries + 1)
      ) e
    ) h
    order by x.place
    """
  }
}

extension RecordType {
  /// Selects the id and the shown columns of live records. Each is looked up separately, independent of the statistics.
  package func shown(company: UUID, ids: [UUID]) -> SQL {
    """
    select d.* from unnest(\(ids)) x (id)
    cross join lateral (
      select v.id, row_to_json(p) from \(view) v
      cross join lateral (select \(shownList)) p
      where v.company_id = \(company) and v.id = x.id\(alive)
      offset 0
    ) d
    """
  }
}
