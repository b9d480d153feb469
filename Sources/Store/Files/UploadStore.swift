package import FoundationEssentials
package import Postgres

/// An upload, which becomes a file of a record when it is complete.
package struct UploadRow: RowDecodable, Sendable {
  package let id: UUID
  package let recordType: String
  package let recordID: UUID
  /// The owner of the private record; nil if the record belongs to the company.
  package let owner: UUID?
  package let kind: String
  package let name: String
  /// The declared size in bytes, or the maximum.
  package let size: Int
  /// True if the client declared the size.
  package let isSizeExact: Bool
  /// The number of bytes that the store has.
  package let received: Int
  /// The SHA-256 of all bytes; nil until the upload is complete.
  package let digest: [UInt8]?
  /// The SHA-256 that the client declared; nil for none.
  package let expected: [UInt8]?
  /// The uploader; nil for an operator.
  package let createdBy: UUID?
  package let createdAt: Instant
  package let expiresAt: Instant
  package let isExpired: Bool
  package let isFinished: Bool
  /// True while another request may be sending bytes.
  package let isBusy: Bool

  package init(row: inout RowReader) throws(PostgresError) {
    id = try row.next()
    recordType = try row.next()
    recordID = try row.next()
    owner = try row.next()
    kind = try row.next()
    name = try row.next()
    size = try row.next()
    isSizeExact = try row.next()
    received = try row.next()
    digest = try row.next()
    expected = try row.next()
    createdBy = try row.next()
    createdAt = try row.next()
    expiresAt = try row.next()
    isExpired = try row.next()
    isFinished = try row.next()
    isBusy = try row.next()
  }
}

/// The statements about uploads and blobs.
package enum UploadStore {
  private static let columns: SQL = """
    u.id, u.record_type, u.record_id, u.owner_id, u.kind, u.name, u.size_bytes, u.is_size_exact, u.received, u.sha256,
    u.expected, u.created_by, u.created_at, u.expires_at, u.expires_at <= now() and u.finished_at is null,
    u.finished_at is not null, coalesce(u.writing_until > now(), false)
    """

  /// Selects an upload.
  package static func find(company: UUID, id: UUID) -> SQL {
    "select \(columns) from core.upload u where u.company_id = \(company) and u.id = \(id)"
  }

  /// Selects the upload of a file that a device has attached, as it is without a row of its own: of an awaited file
  /// nothing has arrived, of another one everything.
  package static func implied(company: UUID, id: UUID) -> SQL {
    """
    select a.id, a.record_type, a.record_id, a.owner_id, a.kind, a.name, a.size_bytes, true,
      case when a.state = 'awaited' then 0 else a.size_bytes end, null::bytea, a.original_sha256, a.created_by,
      a.created_at, now() + interval '1 day', false, a.state <> 'awaited', false
    from core.attachment a
    where a.company_id = \(company) and a.id = \(id) and a.state <> 'refused' and a.deleted_at is null
    """
  }

  /// Opens the upload of an awaited file of a member, and opens it again if it has expired; does nothing for other ids.
  package static func open(company: UUID, id: UUID, user: UUID, seconds: Int) -> SQL {
    """
    insert into core.upload as u
      (company_id, id, record_type, record_id, owner_id, kind, name, size_bytes, is_size_exact, expected, created_by,
       expires_at)
    select a.company_id, a.id, a.record_type, a.record_id, a.owner_id, a.kind, a.name, a.size_bytes, true,
      a.original_sha256, a.created_by, now() + make_interval(secs => \(Double(seconds)))
    from core.attachment a
    where a.company_id = \(company) and a.id = \(id) and a.created_by = \(user) and a.state = 'awaited'
      and a.deleted_at is null
    on conflict (company_id, id) do update
    set expires_at = excluded.expires_at, received = 0, sha256 = null, writer = null, writing_until = null
    where u.finished_at is null and u.expires_at <= now() and coalesce(u.writing_until <= now(), true)
    """
  }

  /// Inserts an upload.
  package static func insert(
    company: UUID,
    id: UUID,
    about record: (type: String, id: UUID),
    owner: UUID?,
    kind: String,
    name: String,
    size: Int,
    isExact: Bool,
    expected: [UInt8]?,
    user: UUID?,
    seconds: Int
  ) -> SQL {
    """
    insert into core.upload
      (company_id, id, record_type, record_id, owner_id, kind, name, size_bytes, is_size_exact, expected, created_by,
       expires_at)
    values (\(company), \(id), \(record.type), \(record.id), \(nullable: owner), \(kind), \(name), \(Int32(clamping: size)),
            \(isExact), \(nullable: expected), \(nullable: user), now() + make_interval(secs => \(Double(seconds))))
    """
  }

  /// Counts the open uploads to a record of one kind, and of all kinds, without those of files that it has already.
  package static func count(company: UUID, type: String, record: UUID, kind: String) -> SQL {
    """
    select count(*) filter (where u.kind = \(kind)), count(*) from core.upload u
    where u.company_id = \(company) and u.record_type = \(type) and u.record_id = \(record)
      and u.finished_at is null and u.expires_at > now()
      and not exists (select from core.attachment a where a.company_id = u.company_id and a.id = u.id)
    """
  }

  /// Gives an open upload to a request for a minute; no row if another request has it.
  package static func begin(company: UUID, id: UUID, writer: UUID) -> SQL {
    """
    update core.upload u set writer = \(writer), writing_until = now() + interval '1 minute'
    where u.company_id = \(company) and u.id = \(id) and u.finished_at is null and u.expires_at > now()
      and coalesce(u.writing_until <= now(), true)
    returning \(columns)
    """
  }

  /// Records the number of bytes that the store has, and keeps the upload for another minute; no row if the request
  /// has lost the upload.
  package static func advance(company: UUID, id: UUID, writer: UUID, received: Int) -> SQL {
    """
    update core.upload u
    set received = \(Int32(clamping: received)), writing_until = now() + interval '1 minute',
      expires_at = greatest(u.expires_at, now() + interval '1 hour')
    where u.company_id = \(company) and u.id = \(id) and u.writer = \(writer) and u.finished_at is null
    returning true
    """
  }

  /// Gives an upload back.
  package static func release(company: UUID, id: UUID, writer: UUID) -> SQL {
    """
    update core.upload set writer = null, writing_until = null
    where company_id = \(company) and id = \(id) and writer = \(writer)
    """
  }

  /// Empties an upload after an error, and gives it back.
  package static func reset(company: UUID, id: UUID, writer: UUID) -> SQL {
    """
    update core.upload set received = 0, sha256 = null, writer = null, writing_until = null
    where company_id = \(company) and id = \(id) and writer = \(writer) and finished_at is null
    """
  }

  /// Ends an upload: it accepts no more bytes, and its bytes are not counted.
  package static func expire(company: UUID, id: UUID) -> SQL {
    """
    update core.upload set expires_at = least(expires_at, now()), writer = null, writing_until = null, received = 0
    where company_id = \(company) and id = \(id) and finished_at is null
    """
  }

  /// Claims a blob before its bytes are stored; no row while the bytes are being removed.
  package static func claim(company: UUID, digest: [UInt8], size: Int) -> SQL {
    """
    insert into core.blob as b (company_id, sha256, size_bytes)
    values (\(company), \(digest), \(Int32(clamping: size)))
    on conflict (company_id, sha256) do update set claimed_at = now() where b.removing_at is null
    returning true
    """
  }

  /// Names the claimed blob of a complete upload; no row if the request has lost the upload.
  package static func name(company: UUID, id: UUID, writer: UUID, digest: [UInt8]) -> SQL {
    """
    update core.upload u
    set sha256 = \(digest), writing_until = now() + interval '2 minutes',
      expires_at = greatest(u.expires_at, now() + interval '1 hour')
    where u.company_id = \(company) and u.id = \(id) and u.writer = \(writer) and u.finished_at is null
      and u.expires_at > now()
    returning true
    """
  }

  /// Marks the bytes of a blob as stored; no row if they are being removed.
  package static func stored(company: UUID, digest: [UInt8]) -> SQL {
    """
    update core.blob set stored_at = coalesce(stored_at, now())
    where company_id = \(company) and sha256 = \(digest) and removing_at is null
    returning true
    """
  }

  /// Marks an upload as finished; no row if the request has lost the upload.
  package static func finish(company: UUID, id: UUID, writer: UUID, received: Int) -> SQL {
    """
    update core.upload u
    set finished_at = now(), received = \(Int32(clamping: received)), writer = null, writing_until = null
    where u.company_id = \(company) and u.id = \(id) and u.writer = \(writer) and u.finished_at is null
    returning true
    """
  }
}
