internal import Domain
package import FoundationEssentials
package import Postgres

/// The state of a company's feed, and the floors of its scopes.
package struct FeedStanding: RowDecodable, Sendable {
  /// The position of the last change. Everything up to it is committed and visible.
  package let checkpoint: Int64
  /// The scopes with a floor.
  package let scopes: [String]
  /// The floor of each of ``scopes``.
  package let floors: [Int64]

  package init(row: inout RowReader) throws(PostgresError) {
    checkpoint = try row.next()
    scopes = try row.next()
    floors = try row.next()
  }
}

/// A change in the feed, with the record as it is now.
package struct FeedRow: RowDecodable, Sendable {
  package let seq: Int64
  package let recordID: UUID
  package let operation: FeedChange.Operation
  package let version: Int64
  /// The record as JSON; nil if it is deleted, or if the member may not see it.
  package let document: JSON?
  /// The record's files as JSON; nil for a type without files, and for a record that is not sent.
  package let files: JSON?
  /// True if the member is an owner of the record; nil if ownership was not selected.
  package let isOwn: Bool?

  package init(row: inout RowReader) throws(PostgresError) {
    seq = try row.next()
    recordID = try row.next()
    let name: String = try row.next()
    operation = FeedChange.Operation(rawValue: name) ?? .leave
    version = try row.next()
    document = try row.next()
    files = try row.next()
    isOwn = try row.next()
  }
}

/// The statements that read the feed.
///
/// Statistics do not decide how ``news(company:scopes:after:most:)`` and ``page(of:company:scope:after:limit:owner:)``
/// find rows. With ``ordered``, only an index that has the order of a statement is used: that of the scope in the feed, and
/// the primary key of the records. An `ANALYZE` that ran while an import was open takes a table for empty, and then every
/// index that begins with the company looks as good as the primary key.
package enum FeedReader {
  /// Forbids plans that sort, and those that read a whole table, for the rest of the transaction.
  package static let ordered: SQL = """
    select set_config('enable_sort', 'off', true), set_config('enable_incremental_sort', 'off', true),
      set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
      set_config('jit', 'off', true)
    """

  /// Plans each statement for the present sizes of its tables, for the rest of the transaction. A plan that was kept from
  /// when a table that a view joins was empty may scan it for each record.
  package static let planned: SQL = "select set_config('plan_cache_mode', 'force_custom_plan', true)"

  /// Selects the position of the company's last change that the statement sees.
  package static func checkpoint(company: UUID) -> SQL {
    """
    select greatest(coalesce((select max(f.seq) from core.feed f where f.company_id = \(company)), 0), g.floor)
    from core.sync_gate g where g.company_id = \(company)
    """
  }

  /// Selects the ``FeedStanding`` of a company.
  package static func standing(company: UUID) -> SQL {
    """
    select greatest(coalesce((select max(f.seq) from core.feed f where f.company_id = \(company)), 0), g.floor),
      array(select s.scope from core.sync_floor s where s.company_id = \(company) order by s.scope),
      array(select s.seq from core.sync_floor s where s.company_id = \(company) order by s.scope)
    from core.sync_gate g where g.company_id = \(company)
    """
  }

  /// Selects the scopes with changes after a position, and the number of these changes up to a maximum.
  package static func news(company: UUID, scopes: [String], after: [Int64], most: Int) -> SQL {
    """
    select x.scope, n.count
    from unnest(\(scopes), \(after)) x (scope, after)
    cross join lateral (
      select count(*) as count from (
        select from core.feed f
        where f.company_id = \(company) and (f.scope, f.seq) > (x.scope, x.after) and f.scope <= x.scope
        order by f.scope, f.seq
        limit \(Int64(most))
      ) c
    ) n
    where n.count > 0
    """
  }

  /// Selects changes of one scope after a position, each with its record.
  ///
  /// Each record is looked up in the order of its primary key, which has one row.
  ///
  /// - Parameter owner: the member whose ownership of each record is selected; nil to select none.
  package static func page(
    of type: RecordType,
    company: UUID,
    scope: String,
    after: Int64,
    limit: Int,
    owner: UUID?
  ) -> SQL {
    let own = owner.map { type.isOwned(by: $0) } ?? "null::boolean"
    return """
      select f.seq, f.record_id, f.op, f.version, d.body, d.files, d.own
      from (
        select f.scope, f.seq, f.record_id, f.op, f.version from core.feed f
        where f.company_id = \(company) and (f.scope, f.seq) > (\(scope), \(after)) and f.scope <= \(scope)
        order by f.scope, f.seq limit \(Int64(limit))
      ) f
      left join lateral (
        select row_to_json(p) as body, \(type.filesJSON) as files, \(own) as own
        from \(type.view) v
        cross join lateral (select \(type.pulledList)) p
        where f.op = 'put' and v.company_id = \(company) and v.id >= f.record_id and v.id <= f.record_id\(type.alive)
        order by v.id limit 1
      ) d on true
      order by f.scope, f.seq
      """
  }

  /// Selects number and checksum of the records of a type that a member owns: the exclusive or of the last eight bytes
  /// of their ids.
  package static func digest(of type: RecordType, company: UUID, owner: UUID) -> SQL {
    """
    select count(*),
      coalesce(bit_xor(('x' || right(replace(v.id::text, '-', ''), 16))::bit(64)), 0::bit(64))::bigint
    from \(type.view) v
    where v.company_id = \(company)\(type.alive) and \(type.isOwned(by: owner))
    """
  }

  /// Selects the ids of the records of a type that a member owns, in order.
  package static func ids(of type: RecordType, company: UUID, owner: UUID, after: UUID?, limit: Int) -> SQL {
    """
    select v.id from \(type.view) v
    where v.company_id = \(company)\(type.alive) and \(type.isOwned(by: owner))
      and (\(nullable: after)::uuid is null or v.id > \(nullable: after))
    order by v.id
    limit \(Int64(limit))
    """
  }
}

extension RecordType {
  /// Selects what a device gets of a record: its columns, and its files.
  func pulled(company: UUID, id: SQL, if condition: SQL) -> SQL {
    """
    select row_to_json(p) as body, \(filesJSON) as files
    from \(view) v
    cross join lateral (select \(pulledList)) p
    where \(condition) and v.company_id = \(company) and v.id >= \(id) and v.id <= \(id)\(alive)
    order by v.id limit 1
    """
  }

  /// The files of a row `v` as a JSON array, oldest first; null for a type without files.
  fileprivate var filesJSON: SQL {
    guard !definition.attachments.isEmpty else { return "null::json" }
    return """
      (
        select coalesce(json_agg(
          json_build_object(
            'id', a.id, 'kind', a.kind, 'name', a.name, 'state', a.state, 'media_type', a.media_type,
            'size', a.size_bytes, 'has_thumbnail', a.state = 'ready' and a.thumb_sha256 is not null,
            'sha256', case when a.state = 'ready' then encode(a.sha256, 'hex') end
          ) order by a.created_at, a.id), '[]')
        from core.attachment a
        where a.company_id = v.company_id and a.record_type = \(name) and a.record_id = v.id
          and a.deleted_at is null and a.state <> 'refused'
      )
      """
  }

  /// The condition that a member is an owner of a row `v`.
  func isOwned(by user: UUID) -> SQL {
    let columns = ["created_by"] + definition.ownerFields
    let conditions = columns.map { "v.\(identifier: $0) is not distinct from \(user)" as SQL }
    return "(\(SQL.joined(conditions, separator: " or ")))"
  }
}
