internal import Domain
package import FoundationEssentials
package import Postgres

/// The statements that let PostgreSQL write the JSON of records, which passes through this process unread.
extension RecordType {
  /// The columns that serve the engine only.
  static let hiddenColumns: Set = [
    "company_id", "deleted_at", "origin_device", "history_seq", "history_hash", "number_seq",
  ]

  /// Returns the columns of a view that programs get, the number first.
  static func shown(_ viewColumns: [Column], hasNumber: Bool) -> [Column] {
    let shown = viewColumns.filter { !hiddenColumns.contains($0.name) }
    guard hasNumber else { return shown }
    return shown.filter { $0.name == "number" } + shown.filter { $0.name != "number" }
  }

  /// Reads a record's shown columns as JSON, and the results of the guards.
  package func shown(company: UUID, id: UUID, guards: [String]) -> SQL {
    guard !guards.isEmpty else {
      return """
        select row_to_json(p), '{}'::boolean[]
        from \(view) v
        cross join lateral (select \(shownList)) p
        where v.company_id = \(company) and v.id = \(id)\(alive)
        """
    }
    return """
      select d.body, \(answers(guards, about: "d.doc"))
      from (
        select row_to_json(p) as body, to_jsonb(v) as doc
        from \(view) v
        cross join lateral (select \(shownList)) p
        where v.company_id = \(company) and v.id = \(id)\(alive)
        offset 0
      ) d
      """
  }

  /// Reads a tombstone's shown columns as JSON, and the results of the guards. The table lacks the computed
  /// columns of the view.
  package func shownTombstone(company: UUID, id: UUID, guards: [String]) -> SQL {
    let stored = Set(self.columns.map(\.name))
    return """
      select d.body, \(answers(guards, about: "d.doc"))
      from (
        select row_to_json(p) as body, to_jsonb(v) as doc
        from \(table) v
        cross join lateral (select \(Self.list(shownColumns.filter { stored.contains($0.name) }))) p
        where v.company_id = \(company) and v.id = \(id) and v.deleted_at is not null
        offset 0
      ) d
      """
  }

  /// Returns the list of columns of a row `v`. Instants are written in UTC, as ``Instant/rfc3339`` writes them,
  /// whatever the time zone of the session.
  package static func list(_ columns: [Column]) -> SQL {
    SQL.joined(
      columns.map { column in
        let name: SQL = "\(identifier: column.name)"
        guard column.kind == .instant else { return "v.\(name)" }
        return "trim('\"' from to_json(v.\(name) at time zone 'UTC')::text) || 'Z' as \(name)"
      },
      separator: ", "
    )
  }
}
