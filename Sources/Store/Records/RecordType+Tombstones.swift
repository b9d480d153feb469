internal import Domain
package import FoundationEssentials
package import Postgres

/// A record that refers to another one, locked with it.
package struct LockedReferrer: RowDecodable, Sendable {
  package let id: UUID
  package let row: LockedRow

  package init(row reader: inout RowReader) throws(PostgresError) {
    id = try reader.next()
    row = try LockedRow(row: &reader)
  }
}

/// A record that prevents a deletion.
package struct Obstacle: RowDecodable, Sendable {
  package let id: UUID
  /// The record's title; nil if the type has none.
  package let title: String?
  /// The total number of obstacles.
  package let count: Int64

  package init(row: inout RowReader) throws(PostgresError) {
    id = try row.next()
    title = try row.next()
    count = try row.next()
  }
}

/// The statements that delete and restore records, and follow references across types.
extension RecordType {
  /// Reads a tombstone from its table, and evaluates the guards on it.
  package func tombstone(company: UUID, id: UUID, guards: [String]) -> SQL {
    """
    select d.doc, \(answers(guards, about: "d.doc"))
    from (
      select to_jsonb(t) as doc from \(table) t
      where t.company_id = \(company) and t.id = \(id) and t.deleted_at is not null
    ) d
    """
  }

  /// Selects those of `ids` that are records, deleted ones included.
  package func existing(company: UUID, among ids: [UUID]) -> SQL {
    "select t.id from \(table) t where t.company_id = \(company) and t.id = any (\(ids))"
  }

  /// Reads the time of a record's deletion; no row or null if the record was not deleted.
  package func deletion(company: UUID, id: UUID) -> SQL {
    "select t.deleted_at from \(table) t where t.company_id = \(company) and t.id = \(id)"
  }

  /// Locks the records of this type that refer by a column to any of `ids`, in the order of their ids.
  ///
  /// - Parameter deletedAt: the deletion time of the tombstones to lock; nil to lock living records.
  package func lockReferrers(company: UUID, column: String, to ids: [UUID], deletedAt: Instant? = nil)
    -> SQL
  {
    let state: SQL = deletedAt.map { "t.deleted_at = \($0)" } ?? "t.deleted_at is null"
    return """
      select t.id, t.version, \(statusColumn), t.created_by, t.history_seq, t.history_hash, t.deleted_at is not null
      from \(table) t
      where t.company_id = \(company) and t.\(identifier: column) = any (\(ids)) and \(state)
      order by t.id
      for no key update
      """
  }

  /// Selects the living records that refer by a column to any of `ids`: their id, and the id that they refer
  /// to.
  package func referrers(company: UUID, column: String, to ids: [UUID]) -> SQL {
    """
    select t.id, t.\(identifier: column) from \(table) t
    where t.company_id = \(company) and t.\(identifier: column) = any (\(ids)) and t.deleted_at is null
    """
  }

  /// Selects up to six living records that refer by a column to any of `ids` and are not among `others`.
  package func obstacles(company: UUID, column: String, to ids: [UUID], except others: [UUID]) -> SQL {
    let title = definition.nameColumns.first ?? definition.titleField
    let name: SQL = self.column(title) == nil ? "null::text" : "t.\(identifier: title)::text"
    return """
      select t.id, \(name), count(*) over () from \(table) t
      where t.company_id = \(company) and t.\(identifier: column) = any (\(ids)) and t.deleted_at is null
        and t.id <> all (\(others))
      order by t.created_at, t.id
      limit 6
      """
  }

  /// Locks against deletion the records of this type to which `children` of another type refer by a column,
  /// except `others`. Returns true for each of them that is living.
  package func lockParents(
    company: UUID,
    of children: [UUID],
    in child: RecordType,
    column: String,
    except others: [UUID]
  ) -> SQL {
    """
    select p.deleted_at is null from \(table) p
    where p.company_id = \(company) and p.id <> all (\(others)) and p.id in (
      select t.\(identifier: column) from \(child.table) t
      where t.company_id = \(company) and t.id = any (\(children))
    )
    order by p.id
    for share
    """
  }

  /// Selects those of `ids` whose references point to a tombstone.
  ///
  /// - Parameter parents: the references with the types that they point to, at least one.
  package func orphans(company: UUID, _ ids: [UUID], parents: [(column: String, type: RecordType)]) -> SQL {
    let tests = parents.map { column, parent in
      """
      exists (
        select from \(parent.table) p
        where p.company_id = t.company_id and p.id = t.\(identifier: column) and p.deleted_at is not null
        offset 0
      )
      """ as SQL
    }
    return """
      select t.id from \(table) t
      where t.company_id = \(company) and t.id = any (\(ids)) and (\(SQL.joined(tests, separator: " or ")))
      """
  }

  /// Turns a locked record into a tombstone, or a tombstone into a living record.
  package func setDeleted(
    _ deletedAt: Instant?,
    company: UUID,
    id: UUID,
    user: UUID?,
    now: Instant,
    history: HistoryHead
  ) -> SQL {
    """
    update \(table) t set deleted_at = \(nullable: deletedAt), version = t.version + 1,
      updated_by = \(nullable: user), updated_at = \(now), history_seq = \(history.seq), history_hash = \(history.hash)
    where t.company_id = \(company) and t.id = \(id)
    """
  }

  /// Deletes the timers of records of this type.
  package func disarm(company: UUID, ids: [UUID]) -> SQL {
    """
    delete from core.timer
    where company_id = \(company) and record_type = \(name) and record_id = any (\(ids))
    """
  }
}
