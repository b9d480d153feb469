package import FoundationEssentials
package import Postgres

/// A device of a member.
package struct DeviceRow: RowDecodable, Sendable {
  package let id: UUID
  package let user: UUID
  /// The name of the member.
  package let userName: String
  package let name: String
  /// The app whose records the device has; nil for those of all apps.
  package let app: String?
  package let platform: String
  package let appVersion: String
  /// The version of the record types that the client was built for.
  package let schemaVersion: Int
  /// The days for which the device keeps work that is done; nil to keep all of it.
  package let doneDays: Int?
  /// The highest number of a change that the device has sent.
  package let maxNo: Int64
  /// The number up to which the device has stored every answer.
  package let confirmedNo: Int64
  /// The position in the feed up to which the device has everything.
  package let cursorSeq: Int64
  package let queue: DeviceQueue
  package let lastPushAt: Instant?
  package let lastPullAt: Instant?
  package let createdAt: Instant
  package let revokedAt: Instant?

  package init(row: inout RowReader) throws(PostgresError) {
    id = try row.next()
    user = try row.next()
    userName = try row.next()
    name = try row.next()
    app = try row.next()
    platform = try row.next()
    appVersion = try row.next()
    schemaVersion = try row.next()
    doneDays = try row.next()
    maxNo = try row.next()
    confirmedNo = try row.next()
    cursorSeq = try row.next()
    queue = DeviceQueue(pending: try row.next(), failed: try row.next(), oldest: try row.next())
    lastPushAt = try row.next()
    lastPullAt = try row.next()
    createdAt = try row.next()
    revokedAt = try row.next()
  }
}

/// The state of the queue on a device, as the device describes it.
package struct DeviceQueue: Sendable, Hashable {
  package let pending: Int
  package let failed: Int
  /// The time of the oldest waiting change; nil if none waits.
  package let oldest: Instant?

  package init(pending: Int = 0, failed: Int = 0, oldest: Instant? = nil) {
    self.pending = pending
    self.failed = failed
    self.oldest = oldest
  }

  /// The queue with further waiting changes.
  package func adding(waiting count: Int) -> DeviceQueue {
    DeviceQueue(pending: pending + count, failed: failed, oldest: oldest)
  }
}

/// The numbers of a device's changes that wait for a person, those of private records too.
package struct DeviceWaiting: RowDecodable, Sendable, Hashable {
  package let device: UUID
  package let conflicts: Int
  /// The changes that the server refused.
  package let failed: Int

  package init(row: inout RowReader) throws(PostgresError) {
    device = try row.next()
    conflicts = try row.next()
    failed = try row.next()
  }
}

/// The statements about devices.
package enum DeviceStore {
  private static let columns: SQL = """
    d.id, d.user_id, (select u.name from core.app_user u where u.id = d.user_id), d.name, d.app, d.platform, d.app_version, d.schema_version, d.done_days, d.max_no, d.confirmed_no, d.cursor_seq,
    d.queue_pending, d.queue_failed, d.queue_oldest, d.last_push_at, d.last_pull_at, d.created_at, d.revoked_at
    """

  /// Selects a device.
  package static func find(company: UUID, id: UUID) -> SQL {
    "select \(columns) from core.device d where d.company_id = \(company) and d.id = \(id)"
  }

  /// Selects a device and locks it, so that a repeated push waits for the first one.
  package static func lock(company: UUID, id: UUID) -> SQL {
    """
    select \(columns) from core.device d where d.company_id = \(company) and d.id = \(id)
    for no key update of d
    """
  }

  /// Selects the devices of a company, or those of one member.
  package static func list(company: UUID, user: UUID?) -> SQL {
    """
    select \(columns) from core.device d
    where d.company_id = \(company) and (\(nullable: user)::uuid is null or d.user_id = \(nullable: user))
    order by d.created_at, d.id
    """
  }

  /// Selects the ``DeviceWaiting`` of the devices of a company, or of one member.
  package static func waiting(company: UUID, user: UUID?) -> SQL {
    """
    select d.id, w.conflicts, w.failed
    from core.device d
    cross join lateral core.device_waiting(d.company_id, d.id) w
    where d.company_id = \(company) and (\(nullable: user)::uuid is null or d.user_id = \(nullable: user))
    """
  }

  /// Inserts a device, or updates the description of an existing one.
  package static func register(
    company: UUID,
    id: UUID,
    user: UUID,
    name: String,
    app: String?,
    platform: String,
    appVersion: String,
    schemaVersion: Int,
    doneDays: Int?
  ) -> SQL {
    """
    insert into core.device (company_id, id, user_id, name, app, platform, app_version, schema_version,
      done_days)
    values (\(company), \(id), \(user), \(name), \(nullable: app), \(platform), \(appVersion), \(Int32(clamping: schemaVersion)),
      \(nullable: doneDays.map { Int32(clamping: $0) }))
    on conflict (company_id, id) do update
    set name = excluded.name, app = excluded.app, platform = excluded.platform, app_version = excluded.app_version,
      schema_version = excluded.schema_version, done_days = excluded.done_days
    """
  }

  /// Records a push. A device cannot have answers beyond the highest number that it had sent before.
  ///
  /// - Parameter queue: what waits on the device after this push.
  package static func pushed(
    company: UUID,
    id: UUID,
    schemaVersion: Int,
    maxNo: Int64,
    confirmedNo: Int64,
    queue: DeviceQueue,
    now: Instant
  ) -> SQL {
    """
    update core.device
    set schema_version = \(Int32(clamping: schemaVersion)), max_no = greatest(max_no, \(maxNo)),
      confirmed_no = greatest(confirmed_no, least(\(confirmedNo), max_no)), queue_pending = \(Int32(clamping: queue.pending)),
      queue_failed = \(Int32(clamping: queue.failed)), queue_oldest = \(nullable: queue.pending > 0 ? queue.oldest : nil),
      last_push_at = \(now)
    where company_id = \(company) and id = \(id)
    """
  }

  /// Records a pull, and the position up to which the device has everything.
  package static func pulled(company: UUID, id: UUID, upTo seq: Int64) -> SQL {
    """
    update core.device set last_pull_at = now(), cursor_seq = \(seq)
    where company_id = \(company) and id = \(id)
    """
  }

  /// Revokes a device.
  package static func revoke(company: UUID, id: UUID) -> SQL {
    """
    update core.device set revoked_at = now()
    where company_id = \(company) and id = \(id) and revoked_at is null
    """
  }
}
