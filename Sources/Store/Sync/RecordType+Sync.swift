package import Domain
package import FoundationEssentials
package import Postgres

/// The version of a record, and whether it is deleted.
package struct RecordStanding: RowDecodable, Sendable, Hashable {
  package let id: UUID
  package let version: Int64
  package let isDeleted: Bool

  package init(id: UUID, version: Int64, isDeleted: Bool) {
    self.id = id
    self.version = version
    self.isDeleted = isDeleted
  }

  package init(row: inout RowReader) throws(PostgresError) {
    id = try row.next()
    version = try row.next()
    isDeleted = try row.next()
  }
}

/// The statements about records that the synchronisation needs.
extension RecordType {
  /// Selects version and deletion of records. Each is looked up separately, independent of the statistics.
  package func standings(company: UUID, ids: [UUID]) -> SQL {
    """
    select t.* from unnest(\(ids)) x (id)
    cross join lateral (
      select t.id, t.version, t.deleted_at is not null from \(table) t
      where t.company_id = \(company) and t.id = x.id
      offset 0
    ) t
    """
  }

  /// Selects true if a live record has the values of a document in its columns; PostgreSQL compares them, so that 1.0
  /// and 1.00 are the same number.
  package func holds(company: UUID, id: UUID, _ fields: JSONObject) -> SQL {
    let columns = fields.keys.filter { column($0) != nil }
    let own = SQL.joined(columns.map { "t.\(identifier: $0)" as SQL }, separator: ", ")
    let given = SQL.joined(columns.map { "r.\(identifier: $0)" as SQL }, separator: ", ")
    let same: SQL = columns.isEmpty ? "true" : "row(\(own)) is not distinct from row(\(given))"
    return """
      select \(same)
      from \(table) t
      cross join jsonb_populate_record(null::\(table), \(JSON(fields))) r
      where t.company_id = \(company) and t.id = \(id) and t.deleted_at is null
      """
  }

  /// Selects the columns that changed after a version, whether all changes since then are known, and whether any was
  /// made by others than a device, whose own changes do not count.
  ///
  /// Nor does a change of a field by others count that the person has decided against: a later change of the device of
  /// this field was made after the one that was taken.
  package func changed(company: UUID, id: UUID, after version: Int64, exceptBy device: UUID) -> SQL {
    changed(company: company, id: "\(id)", after: "\(version)", exceptBy: device)
  }

  /// Selects, for those records that have another version than the given one, the id, the columns that changed after
  /// that version, whether all changes since then are known, and whether any was made by others than a device.
  package func changed(
    company: UUID,
    each ids: [UUID],
    after versions: [Int64],
    exceptBy device: UUID
  ) -> SQL {
    """
    select x.id, c.*
    from unnest(\(ids), \(versions)) x (id, version)
    cross join lateral (
      select from \(table) t
      where t.company_id = \(company) and t.id = x.id and t.version <> x.version
      offset 0
    ) t
    cross join lateral (\(changed(company: company, id: "x.id", after: "x.version", exceptBy: device))) c
    """
  }

  private func changed(company: UUID, id: SQL, after version: SQL, exceptBy device: UUID) -> SQL {
    """
    select coalesce(array_agg(distinct k.name) filter (where k.name is not null), '{}'),
      coalesce(bool_and(h.version is not null and octet_length(h.salt) > 0), true),
      coalesce(bool_or(k.name is not null or h.changes = '{}'), false)
    from core.history h
    left join lateral (
      select x.name from jsonb_object_keys(h.changes) x (name)
      where not exists (
        select from core.sync_item i
        where i.company_id = \(company) and i.device_id = \(device) and i.record_id = h.record_id
          and i.resolution = 'mine' and i.version >= h.version and i.mutation -> 'fields' ? x.name
      )
    ) k on true
    where h.company_id = \(company) and h.record_type = \(name) and h.record_id = \(id)
      and (h.version is null and h.seq > 1 or h.version > \(version))
      and h.device_id is distinct from \(device)
    """
  }
}
