internal import GRDB
internal import SyncProtocol

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A change or a file that is not synchronised, and why.
public struct Waiting: Sendable, Hashable, Identifiable {
  /// What waits.
  public enum ID: Sendable, Hashable, CustomStringConvertible {
    /// A change of the queue.
    case change(Change.ID)
    /// The bytes of a file whose change is applied.
    case file(UUID)

    /// The number of the change, or the id of the file.
    public var description: String {
      switch self {
      case .change(let id): "change \(id.number)"
      case .file(let id): "file \(id.uuidString.lowercased())"
      }
    }
  }

  /// What waits.
  public let id: ID
  /// The type of the record.
  public let type: String
  /// The record.
  public let record: UUID
  /// True if nothing happens before a person decides.
  public let needsDecision: Bool
  /// For what it waits; nil if nothing keeps the next synchronisation from sending it.
  public let reason: String?

  /// Returns everything that waits, oldest first.
  static func all(_ db: Database) throws -> [Waiting] {
    let rows = try Outbox(db).rows("status in ('pending', 'uploading', 'conflict', 'failed')")
    var blockers: [RecordKey: Int64] = [:]
    var waiting: [Waiting] = []
    for row in rows {
      guard let device = UUID(uuidString: row.device), let record = UUID(uuidString: row.id) else { continue }
      let isJudged = row.item.status == .conflict || row.item.status == .failed
      var own = [row.code, row.answer?["detail"]?.string].compactMap(\.self).joined(separator: ": ")
      if row.item.status == .failed, row.result == nil, own.isEmpty { own = unanswered }
      let reason: String? =
        if isJudged {
          row.decision.map { "takes \($0.rawValue) with the next synchronisation" }
            ?? "\(row.item.status.rawValue)\(own.isEmpty ? "" : ", \(own)")"
        } else if let blocker = blockers[row.key] {
          "waits for change \(blocker) of the same record"
        } else {
          own.isEmpty ? nil : own
        }
      if reason != nil, blockers[row.key] == nil { blockers[row.key] = row.no }
      waiting.append(
        Waiting(
          id: .change(Change.ID(device: device, number: row.no)),
          type: row.type,
          record: record,
          needsDecision: isJudged && row.decision == nil,
          reason: reason
        )
      )
    }
    return waiting + (try Uploads(db).waiting().compactMap(Waiting.init))
  }

  private static let unanswered = "no answer came in three attempts"

  private init?(_ file: Uploads.Entry) {
    guard let id = UUID(uuidString: file.id), let record = UUID(uuidString: file.record) else { return nil }
    let isFailed = file.item.status == .failed
    var own = [file.code, file.detail].compactMap(\.self).joined(separator: ": ")
    if isFailed, own.isEmpty { own = Self.unanswered }
    self.init(
      id: .file(id),
      type: file.type,
      record: record,
      needsDecision: isFailed,
      reason: isFailed ? "failed\(own.isEmpty ? "" : ", \(own)")" : own.isEmpty ? nil : own
    )
  }

  init(id: ID, type: String, record: UUID, needsDecision: Bool, reason: String?) {
    self.id = id
    self.type = type
    self.record = record
    self.needsDecision = needsDecision
    self.reason = reason
  }
}
