package import Domain
package import FoundationEssentials
internal import Postgres
internal import Store
package import SyncProtocol

/// The judgement on one change of a device.
package struct PushResult: Sendable, Codable {
  /// The kinds of judgement.
  package typealias Kind = SyncJudgement

  package let no: Int64
  package let result: Kind
  /// The version of the record after the change, or the server's version in a conflict; nil if there is none.
  package var version: Int64?
  /// The reason of a conflict or a refusal.
  package var code: String?
  /// The rest of the answer: `detail`, `fields` in conflict, `allowed`, `blocked_by`, `retry_after_ms`.
  package var more: JSONObject = [:]
  /// The server's record in a conflict, if the member may read it. It is not stored, because the member may lose the
  /// right to read it.
  package var server: JSONObject?
  /// True if the judgement is that of an earlier request.
  package var isReplayed = false

  init(_ no: Int64, _ result: Kind, version: Int64? = nil, code: ErrorCode? = nil, more: JSONObject = [:]) {
    self.no = no
    self.result = result
    self.version = version
    self.code = code?.rawValue
    self.more = more
  }

  /// The stored judgement; nil if there is none.
  init?(stored row: SyncItemRow) throws {
    guard let kind = row.result.flatMap(Kind.init(rawValue:)) else { return nil }
    no = row.no
    result = kind
    version = row.version
    code = row.code
    more = try row.answer?.value().object ?? [:]
    isReplayed = true
  }

  /// The judgement as JSON.
  package var json: JSONObject {
    var json: JSONObject = ["no": .integer(no), "result": .string(result.rawValue)]
    if let version { json["version"] = .integer(version) }
    if let code { json["code"] = .string(code) }
    for (name, value) in more.members { json[name] = value }
    if let server { json["server"] = .object(server) }
    if isReplayed { json["replayed"] = true }
    return json
  }
}

/// The answer to a push.
package struct PushAnswer: Sendable, Codable {
  /// One judgement for each change, in the order of the request.
  package let results: [PushResult]
  /// The numbers of failed changes that a person asks the device to send again.
  package let wanted: [Int64]
  /// The epoch of the database.
  package let epoch: UUID
  /// A position in the feed that includes the applied changes: a device that has pulled up to it has their effects.
  package var checkpoint: Int64 = 0
}
