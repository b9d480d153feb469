package import FoundationEssentials

/// The columns of every record. Only the engine writes them.
package struct RecordBase: Sendable, Hashable, Codable {
  /// The record's company.
  package let companyID: UUID
  /// The id, chosen by the client and the same on every device.
  package let id: UUID
  /// The version: 1 for a new record, one more with every write.
  package let version: Int64
  /// The user who created the record; nil for the system.
  package let createdBy: UUID?
  /// The creation time.
  package let createdAt: Instant
  /// The user of the last write; nil for the system.
  package let updatedBy: UUID?
  /// The time of the last write.
  package let updatedAt: Instant
  /// The time of the deletion; nil if the record is not deleted.
  package let deletedAt: Instant?
  /// The time of the creation by the device's clock; never used for ordering.
  package let clientCreatedAt: Instant?
  /// The device that uploaded the record; nil if none did.
  package let originDevice: UUID?
  /// The number of the newest history entry; 0 without history.
  package let historySeq: Int64
  /// The hash of the newest history entry, in PostgreSQL's hexadecimal notation, `\x…`.
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

  /// Creates the columns. By default the record has version 1 and no history.
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
