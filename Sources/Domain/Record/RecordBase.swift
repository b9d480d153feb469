package import FoundationEssentials

/// The columns that every record has; the engine alone writes them.
package struct RecordBase: Sendable, Hashable, Codable {
  /// The company it belongs to.
  package let companyID: UUID
  /// Chosen by the client; the same on every device.
  package let id: UUID
  /// Grows by one with every write.
  package let version: Int64
  /// The member who made it; nil when the system did.
  package let createdBy: UUID?
  /// Creation time.
  package let createdAt: Instant
  /// The member who wrote it last.
  package let updatedBy: UUID?
  /// Time of the last write.
  package let updatedAt: Instant
  /// Deletion time; nil while the record is live.
  package let deletedAt: Instant?
  /// Creation time by the device's clock; never used for ordering.
  package let clientCreatedAt: Instant?
  /// The device that pushed it, if one did.
  package let originDevice: UUID?
  /// The number of its newest history entry.
  package let historySeq: Int64
  /// The hash of that entry, in PostgreSQL's hexadecimal notation.
  package let historyHash: String

  package enum CodingKeys: String, CodingKey, CaseIterable {
    case companyID = "company_id"
    case id
    case version
    case createdBy = "created_by"
    case createdAt = "created_at"
    case updatedBy = "updated_by"
    case updatedAt = "updated_at"
    case deletedAt = "deleted_at"
    case clientCreatedAt = "client_created_at"
    case originDevice = "origin_device"
    case historySeq = "history_seq"
    case historyHash = "history_hash"
  }

  /// Puts the columns together; a record that was just made has version 1 and no history.
  package init(
    companyID: UUID,
    id: UUID,
    version: Int64 = 1,
    createdBy: UUID? = nil,
    createdAt: Instant,
    updatedBy: UUID? = nil,
    updatedAt: Instant,
    deletedAt: Instant? = nil,
    clientCreatedAt: Instant? = nil,
    originDevice: UUID? = nil,
    historySeq: Int64 = 0,
    historyHash: String = "\\x"
  ) {
    self.companyID = companyID
    self.id = id
    self.version = version
    self.createdBy = createdBy
    self.createdAt = createdAt
    self.updatedBy = updatedBy
    self.updatedAt = updatedAt
    self.deletedAt = deletedAt
    self.clientCreatedAt = clientCreatedAt
    self.originDevice = originDevice
    self.historySeq = historySeq
    self.historyHash = historyHash
  }

  /// The names of the columns.
  package static var columns: [String] { CodingKeys.allCases.map(\.rawValue) }
}
