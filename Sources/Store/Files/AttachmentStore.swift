package import FoundationEssentials
package import Postgres

/// A file of a record.
package struct AttachmentRow: RowDecodable, Sendable {
  /// The state of a file.
  package enum State: String, Sendable, CaseIterable {
    /// Attached by a device that has not sent the bytes yet.
    case awaited
    /// Uploaded; only the uploader can read the bytes.
    case pending
    /// Prepared; everybody who may read the record can read the bytes.
    case ready
    /// Nobody can read the bytes.
    case refused
  }

  package let id: UUID
  package let recordType: String
  package let recordID: UUID
  /// The owner of the private record; nil if the record belongs to the company.
  package let owner: UUID?
  package let kind: String
  package let name: String
  package let state: State
  package let mediaType: String
  /// The size in bytes: as declared while awaited, of the uploaded file while pending, of the prepared one when ready.
  package let size: Int
  /// The SHA-256 of the uploaded bytes; while they are awaited, as declared, or nil.
  package let originalDigest: [UInt8]?
  /// The SHA-256 of the prepared bytes; nil before they are prepared.
  package let digest: [UInt8]?
  /// The SHA-256 of the thumbnail; nil without one.
  package let thumbnailDigest: [UInt8]?
  /// The reason of a refusal.
  package let refusal: String?
  /// The uploader; nil for an operator or the system.
  package let createdBy: UUID?
  package let author: String?
  package let createdAt: Instant
  package let deletedAt: Instant?
  /// The time from which the file cannot be restored; nil before.
  package let purgedAt: Instant?

  package init(row: inout RowReader) throws(PostgresError) {
    id = try row.next()
    recordType = try row.next()
    recordID = try row.next()
    owner = try row.next()
    kind = try row.next()
    name = try row.next()
    // The check constraint admits no other text.
    state = State(rawValue: try row.next()) ?? .refused
    mediaType = try row.next()
    size = try row.next()
    originalDigest = try row.next()
    digest = try row.next()
    thumbnailDigest = try row.next()
    refusal = try row.next()
    createdBy = try row.next()
    author = try row.next()
    createdAt = try row.next()
    deletedAt = try row.next()
    purgedAt = try row.next()
  }
}

/// The statements about the files of records.
package enum AttachmentStore {
  private static let columns: SQL = """
    a.id, a.record_type, a.record_id, a.owner_id, a.kind, a.name, a.state, a.media_type, a.size_bytes,
    a.original_sha256, a.sha256, a.thumb_sha256, a.refusal, a.created_by, core.name_at(a.created_by, a.created_at),
    a.created_at, a.deleted_at, a.purged_at
    """

  /// Selects the files of a record, oldest first.
  ///
  /// - Parameter deleted: true for the deleted files that can be restored, false for the living ones.
  package static func all(company: UUID, type: String, record: UUID, deleted: Bool = false) -> SQL {
    """
    select \(columns) from core.attachment a
    where a.company_id = \(company) and a.record_type = \(type) and a.record_id = \(record)
      and (a.deleted_at is not null) = \(deleted) and a.purged_at is null
    order by a.created_at, a.id
    """
  }

  /// Selects a file, deleted or not.
  package static func find(company: UUID, id: UUID) -> SQL {
    "select \(columns) from core.attachment a where a.company_id = \(company) and a.id = \(id)"
  }

  /// Counts the living files of a record, of one kind and of all kinds. The record's row must be locked.
  package static func count(company: UUID, type: String, record: UUID, kind: String) -> SQL {
    """
    select count(*) filter (where a.kind = \(kind)), count(*) from core.attachment a
    where a.company_id = \(company) and a.record_type = \(type) and a.record_id = \(record) and a.deleted_at is null
    """
  }

  /// Selects the size of a file's bytes; no row unless the store has them.
  package static func size(company: UUID, of digest: [UInt8]) -> SQL {
    """
    select b.size_bytes from core.blob b
    where b.company_id = \(company) and b.sha256 = \(digest) and b.stored_at is not null and b.removing_at is null
    """
  }

  /// Inserts the file of a complete upload.
  package static func insert(
    company: UUID,
    upload: UploadRow,
    mediaType: String,
    size: Int,
    digest: [UInt8],
    at now: Instant
  ) -> SQL {
    """
    insert into core.attachment
      (company_id, id, record_type, record_id, owner_id, kind, name, media_type, size_bytes, original_sha256,
       created_by, created_at)
    values (\(company), \(upload.id), \(upload.recordType), \(upload.recordID), \(nullable: upload.owner),
            \(upload.kind), \(upload.name), \(mediaType), \(Int32(clamping: size)), \(digest), \(nullable: upload.createdBy), \(now))
    """
  }

  /// Counts the files of a member whose bytes have not arrived.
  package static func awaited(company: UUID, user: UUID) -> SQL {
    """
    select count(*)::int from core.attachment a
    where a.company_id = \(company) and a.created_by = \(user) and a.state = 'awaited' and a.deleted_at is null
    """
  }

  /// Inserts a file whose bytes a device sends later.
  package static func await(
    company: UUID,
    id: UUID,
    about record: (type: String, id: UUID),
    owner: UUID?,
    kind: String,
    name: String,
    size: Int,
    digest: [UInt8]?,
    user: UUID?,
    at now: Instant
  ) -> SQL {
    """
    insert into core.attachment
      (company_id, id, record_type, record_id, owner_id, kind, name, state, media_type, size_bytes, original_sha256,
       created_by, created_at)
    values (\(company), \(id), \(record.type), \(record.id), \(nullable: owner), \(kind), \(name), 'awaited',
            'application/octet-stream', \(Int32(clamping: size)), \(nullable: digest), \(nullable: user), \(now))
    """
  }

  /// Gives an awaited file its bytes; no row if they have arrived already.
  package static func arrive(company: UUID, id: UUID, mediaType: String, size: Int, digest: [UInt8]) -> SQL {
    """
    update core.attachment
    set state = 'pending', media_type = \(mediaType), size_bytes = \(Int32(clamping: size)), original_sha256 = \(digest)
    where company_id = \(company) and id = \(id) and state = 'awaited'
    returning true
    """
  }

  /// Refuses an awaited file because of its bytes.
  package static func refuseAwaited(company: UUID, id: UUID, reason: String) -> SQL {
    """
    update core.attachment set state = 'refused', refusal = \(reason), prepared_at = now()
    where company_id = \(company) and id = \(id) and state = 'awaited'
    returning true
    """
  }

  /// Marks a file as deleted, or as not deleted.
  package static func mark(company: UUID, id: UUID, deletedAt: Instant?) -> SQL {
    """
    update core.attachment set deleted_at = \(nullable: deletedAt)
    where company_id = \(company) and id = \(id) and purged_at is null
    """
  }

  /// Names the blobs of a file that is being prepared, so that they are kept.
  package static func nameBlobs(company: UUID, id: UUID, digest: [UInt8], thumbnail: [UInt8]?) -> SQL {
    """
    update core.attachment set sha256 = \(digest), thumb_sha256 = \(nullable: thumbnail)
    where company_id = \(company) and id = \(id) and state = 'pending'
    """
  }

  /// Makes a pending file readable for others. Its blobs were named before.
  package static func ready(company: UUID, id: UUID, digest: [UInt8], mediaType: String, size: Int) -> SQL {
    """
    update core.attachment set state = 'ready', media_type = \(mediaType), size_bytes = \(Int32(clamping: size)), prepared_at = now()
    where company_id = \(company) and id = \(id) and state = 'pending' and sha256 = \(digest)
    """
  }

  /// Refuses a pending file.
  package static func refuse(company: UUID, id: UUID, reason: String) -> SQL {
    """
    update core.attachment set state = 'refused', refusal = \(reason), prepared_at = now()
    where company_id = \(company) and id = \(id) and state = 'pending'
    """
  }
}
