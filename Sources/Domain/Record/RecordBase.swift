package import FoundationEssentials

/// The columns of every record; only the engine writes them.
package struct RecordBase: Sendable, Hashable, Codable {
  /// The record's company.
  package let companyID: UUID
  /// The id, chosen by the client; the same on every device.
  package let id: UUID
  /// The version, which grows by one with every write.
  package let version: Int64
  /// The creator; nil for the system.
  package let createdBy: UUID?
  /// The creation time.
  package let createdAt: Instant
  /// The member who wrote it last.
  package let updatedBy: UUID?
  /// The time of the last write.
  package let updatedAt: Instant
  /// The deletion time; nil while the record is live.
  package let deletedAt: Instant?
  /// The creation time by the device's clock; never used for ordering.
  package let clientCreatedAt: Instant?
  /// The device that pushed it, if any.
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

  /// Creates the columns; a new record has version 1 and no history.
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
