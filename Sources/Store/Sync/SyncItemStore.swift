package import FoundationEssentials
package import Postgres

/// A change of a device and its judgement.
package struct SyncItemRow: RowDecodable, Sendable {
  package let device: UUID
  package let no: Int64
  package let status: String
  package let attempts: Int
  package let recordType: String
  package let recordID: UUID
  package let operation: String
  /// The owner of the private record; nil if the record belongs to the company.
  package let owner: UUID?
  /// Nil before the judgement.
  package let requestHash: [UInt8]?
  /// `applied`, `merged`, `conflict` or `rejected`; nil before the judgement.
  package let result: String?
  package let version: Int64?
  package let code: String?
  /// The change, while in conflict or failed.
  package private(set) var mutation: JSON?
  /// Further members of the answer, while in conflict or failed.
  package private(set) var answer: JSON?
  package let isRetryWanted: Bool
  package let resolution: String?
  package let firstAt: Instant
  package let updatedAt: Instant

  /// The row without the values of its record, for those who may not read the record.
  package var withoutValues: SyncItemRow {
    var row = self
    (row.mutation, row.answer) = (nil, nil)
    return row
  }

  package init(row: inout RowReader) throws(PostgresError) {
    device = try row.next()
    no = try row.next()
    status = try row.next()
    attempts = try row.next()
    recordType = try row.next()
    recordID = try row.next()
    operation = try row.next()
    owner = try row.next()
    requestHash = try row.next()
    result = try row.next()
    version = try row.next()
    code = try row.next()
    mutation = try row.next()
    answer = try row.next()
    isRetryWanted = try row.next()
    resolution = try row.next()
    firstAt = try row.next()
    updatedAt = try row.next()
  }
}

/// A judged change, as it is stored.
package struct JudgedItem: Sendable {
  package let no: Int64
  package let status: String
  package let recordType: String
  package let recordID: UUID
  package let operation: String
  package let owner: UUID?
  package let requestHash: [UInt8]
  package let result: String
  package let version: Int64?
  package let code: String?
  package let mutation: JSON?
  package let answer: JSON?

  package init(
    no: Int64,
    status: String,
    recordType: String,
    recordID: UUID,
    operation: String,
    owner: UUID?,
    requestHash: [UInt8],
    result: String,
    version: Int64?,
    code: String?,
    mutation: JSON?,
    answer: JSON?
  ) {
    self.no = no
    self.status = status
    self.recordType = recordType
    self.recordID = recordID
    self.operation = operation
    self.owner = owner
    self.requestHash = requestHash
    self.result = result
    self.version = version
    self.code = code
    self.mutation = mutation
    self.answer = answer
  }
}

/// The statements about the changes that devices sent.
package enum SyncItemStore {
  private static let columns: SQL = """
    i.device_id, i.no, i.status, i.attempts::int, i.record_type, i.record_id, i.op, i.owner_id, i.request_hash, i.result,
    i.version, i.code, i.mutation, i.answer, i.retry_wanted, i.resolution, i.first_at, i.updated_at
    """

  /// Selects the rows of these numbers. Each is looked up separately, because PostgreSQL may evaluate an array
  /// condition on a table without statistics by a scan of all rows of the device.
  package static func known(company: UUID, device: UUID, nos: [Int64]) -> SQL {
    """
    select i.* from unnest(\(nos)) x (no)
    cross join lateral (
      select \(columns) from core.sync_item i
      where i.company_id = \(company) and i.device_id = \(device) and i.no = x.no
      offset 0
    ) i
    """
  }

  /// Selects number and record of the device's changes that wait for a person.
  package static func unresolved(company: UUID, device: UUID) -> SQL {
    """
    select i.no, i.record_id from core.sync_item i
    where i.company_id = \(company) and i.device_id = \(device) and i.status in ('conflict', 'failed')
      and i.result is not null
    order by i.no
    """
  }

  /// Counts the judgements that the device has not confirmed, up to a number.
  package static func unconfirmed(company: UUID, device: UUID, most: Int) -> SQL {
    """
    select count(*)::int from (
      select from core.sync_item i
      where i.company_id = \(company) and i.device_id = \(device)
        and i.no > (select d.confirmed_no from core.device d where d.company_id = \(company) and d.id = \(device))
        and i.result is not null
      limit \(Int64(most))
    ) i
    """
  }

  /// Selects the numbers of conflicts and failed changes that a person asked to send again.
  package static func wanted(company: UUID, device: UUID) -> SQL {
    """
    select i.no from core.sync_item i
    where i.company_id = \(company) and i.device_id = \(device) and i.status in ('conflict', 'failed') and i.retry_wanted
    order by i.no
    """
  }

  /// Selects one change and locks it.
  package static func lock(company: UUID, device: UUID, no: Int64) -> SQL {
    """
    select \(columns) from core.sync_item i
    where i.company_id = \(company) and i.device_id = \(device) and i.no = \(no)
    for no key update
    """
  }

  /// Selects the changes that wait for a person, oldest first.
  ///
  /// - Parameter user: the member whose devices' changes are selected; nil for all members.
  package static func waiting(company: UUID, user: UUID?, statuses: [String], limit: Int) -> SQL {
    """
    select \(columns) from core.sync_item i
    join core.device d on d.company_id = i.company_id and d.id = i.device_id
    where i.company_id = \(company) and i.status = any (\(statuses))
      and (\(nullable: user)::uuid is null or d.user_id = \(nullable: user))
    order by i.updated_at, i.device_id, i.no
    limit \(Int64(limit))
    """
  }

  /// Stores judgements.
  package static func judge(_ items: [JudgedItem], company: UUID, device: UUID, now: Instant) -> SQL {
    """
    insert into core.sync_item (company_id, device_id, no, status, record_type, record_id, op, owner_id, request_hash,
      result, version, code, mutation, answer, first_at, updated_at)
    select \(company), \(device), x.no, x.status, x.record_type, x.record_id, x.op, x.owner_id, x.request_hash, x.result,
      x.version, x.code, x.mutation::jsonb, x.answer::jsonb, \(now), \(now)
    from unnest(
      \(items.map(\.no)), \(items.map(\.status)), \(items.map(\.recordType)), \(items.map(\.recordID)),
      \(items.map(\.operation)), \(items.map(\.owner)), \(items.map(\.requestHash)), \(items.map(\.result)),
      \(items.map(\.version)), \(items.map(\.code)), \(items.map { $0.mutation?.text }), \(items.map { $0.answer?.text })
    ) x (no, status, record_type, record_id, op, owner_id, request_hash, result, version, code, mutation, answer)
    on conflict (company_id, device_id, no) do update
    -- Under a number that was described, a copy of the device may have sent another change.
    set status = excluded.status, record_type = excluded.record_type, record_id = excluded.record_id, op = excluded.op,
      owner_id = excluded.owner_id, request_hash = excluded.request_hash, result = excluded.result,
      version = excluded.version, code = excluded.code, mutation = excluded.mutation, answer = excluded.answer,
      retry_wanted = false, updated_at = excluded.updated_at
    """
  }

  /// Stores the state of changes on the device that the server has not judged, each number once. Changes beyond a number
  /// are not stored; the device counts them.
  ///
  /// The answer to a number that the device has confirmed is forgotten. Only the copy of a device can have a waiting
  /// change under such a number; nobody would ever judge it.
  package static func report(
    company: UUID,
    device: UUID,
    nos: [Int64],
    statuses: [String],
    attempts: [Int],
    types: [String],
    records: [UUID],
    operations: [String],
    owners: [UUID?],
    most: Int
  ) -> SQL {
    """
    insert into core.sync_item (company_id, device_id, no, status, attempts, record_type, record_id, op, owner_id)
    select \(company), \(device), x.no, x.status, x.attempts, x.record_type, x.record_id, x.op, x.owner_id
    from unnest(
      \(nos), \(statuses), \(attempts.map(Int32.init(clamping:))), \(types), \(records), \(operations), \(owners)
    ) with ordinality x (no, status, attempts, record_type, record_id, op, owner_id, place)
    where x.no > (select d.confirmed_no from core.device d where d.company_id = \(company) and d.id = \(device))
      and (
        x.place + (
          select count(*) from core.sync_item i
          where i.company_id = \(company) and i.device_id = \(device) and i.result is null
        ) <= \(Int64(most))
        or exists (
          select from core.sync_item i
          where i.company_id = \(company) and i.device_id = \(device) and i.no = x.no
        )
      )
    on conflict (company_id, device_id, no) do update
    -- A device may renumber changes that it has not sent.
    set status = excluded.status, attempts = excluded.attempts, record_type = excluded.record_type,
      record_id = excluded.record_id, op = excluded.op, owner_id = excluded.owner_id, updated_at = now()
    where core.sync_item.result is null
    """
  }

  /// Records a decision about a conflict or a failed change.
  package static func resolve(
    company: UUID,
    device: UUID,
    no: Int64,
    status: String,
    resolution: String,
    by user: UUID?,
    version: Int64?
  ) -> SQL {
    """
    update core.sync_item
    set status = \(status), resolution = \(resolution), resolved_by = \(nullable: user),
      version = coalesce(\(nullable: version), version), retry_wanted = false, updated_at = now()
    where company_id = \(company) and device_id = \(device) and no = \(no)
    """
  }

  /// Asks a device to send changes again that wait for a person.
  ///
  /// - Parameter no: the change, in conflict or failed; nil for all failed ones of the device.
  package static func want(company: UUID, device: UUID, no: Int64?) -> SQL {
    """
    update core.sync_item set retry_wanted = true, updated_at = now()
    where company_id = \(company) and device_id = \(device)
      and case when \(nullable: no)::bigint is null then status = 'failed'
        else no = \(nullable: no) and status in ('conflict', 'failed') end
    """
  }

  /// Selects the given numbers that the server has judged or the device has confirmed.
  package static func judged(company: UUID, device: UUID, nos: [Int64]) -> SQL {
    """
    select x.no from unnest(\(nos)) x (no)
    where x.no <= (select d.confirmed_no from core.device d where d.company_id = \(company) and d.id = \(device))
      or exists (
        select from core.sync_item i
        where i.company_id = \(company) and i.device_id = \(device) and i.no = x.no and i.result is not null
      )
    order by x.no
    """
  }
}
