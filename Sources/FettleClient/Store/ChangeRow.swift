internal import GRDB
internal import SyncProtocol

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A row of the table of changes.
struct ChangeRow: FetchableRecord, Sendable {
  /// The place in the order in which the person made the changes. The clock of a phone may be set back, and numbers
  /// begin again with a new device.
  let place: Int64
  let device: String
  let no: Int64
  let type: String
  let id: String
  let operation: SyncOperation
  let fields: [String: FieldValue]
  let transition: String?
  let comment: String?
  /// The file that the change attaches; nil for another change.
  let file: String?
  let baseVersion: Int64
  /// Seconds since 1970.
  let madeAt: Int64
  /// The change as it was sent; nil before the first time.
  let document: String?
  var item: SyncItem
  let result: SyncJudgement?
  let version: Int64?
  let checkpoint: Int64
  let code: String?
  let answer: FieldValue?
  let decision: SyncResolution?
  let asksRetry: Bool
  let told: String?

  init(row: Row) throws {
    place = row["rowid"]
    device = row["device"]
    no = row["no"]
    type = row["type"]
    id = row["id"]
    operation = try Self.known(SyncOperation(rawValue: row["op"]))
    let text: String? = row["fields"]
    fields = try text.map { try FieldValue(parsing: $0) }?.object ?? [:]
    transition = row["transition"]
    comment = row["comment"]
    file = row["file"]
    baseVersion = row["base_version"]
    madeAt = row["made_at"]
    document = row["document"]
    item = SyncItem(status: try Self.known(SyncStatus(rawValue: row["status"])), attempts: row["attempts"])
    let judgement: String? = row["result"]
    result = judgement.flatMap(SyncJudgement.init(rawValue:))
    version = row["version"]
    checkpoint = row["checkpoint"]
    code = row["code"]
    let json: String? = row["answer"]
    answer = try json.map { try FieldValue(parsing: $0) }
    let taken: String? = row["decision"]
    decision = taken.flatMap(SyncResolution.init(rawValue:))
    asksRetry = row["asks_retry"]
    told = row["told"]
  }

  /// The record that the change is about.
  var key: RecordKey { RecordKey(type: type, id: id) }

  /// What the server is told about a change that waits.
  var description: String { "\(item.status.rawValue) \(item.attempts)" }

  private static func known<Value>(_ value: Value?) throws -> Value {
    guard let value else { throw ClientError(.store, "the store was written by a later version of the app") }
    return value
  }

  /// Returns the change for the app.
  ///
  /// - Parameter isPulled: true if its effect has been pulled.
  func change(isPulled: Bool) throws -> Change {
    let status: SyncStatus = item.status == .synced && !isPulled ? .uploading : item.status
    return Change(
      id: Change.ID(device: try Self.known(UUID(uuidString: device)), number: no),
      type: type,
      record: try Self.known(UUID(uuidString: id)),
      operation: operation,
      fields: fields,
      transition: transition,
      comment: comment,
      file: file.flatMap(UUID.init(uuidString:)),
      madeAt: Date(timeIntervalSince1970: Double(madeAt)),
      status: status,
      attempts: item.attempts,
      version: version,
      code: code,
      detail: answer?["detail"]?.string,
      conflictingFields: answer?["fields"]?.array?.compactMap(\.string) ?? [],
      server: answer?["server"]?.object,
      decision: decision
    )
  }
}

/// A record's type and id.
struct RecordKey: Hashable, Sendable {
  let type: String
  let id: String
}
