internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Postgres
internal import Store

/// The answers about synchronisation, as JSON.
enum SyncJSON {
  static func pushed(_ answer: PushAnswer) -> JSONObject {
    [
      "results": .array(answer.results.map { .object($0.json) }),
      "retry": .array(answer.wanted.map { .integer($0) }), "epoch": .string(answer.epoch.text),
      "checkpoint": .integer(answer.checkpoint),
    ]
  }

  /// Returns a device with the numbers of its changes that wait for a person.
  static func standing(_ row: DeviceRow, _ waiting: DeviceWaiting?) -> JSONObject {
    var json = device(row)
    json["waiting"] = [
      "conflicts": .integer(waiting?.conflicts ?? 0), "failed": .integer(waiting?.failed ?? 0),
    ]
    return json
  }

  static func device(_ row: DeviceRow) -> JSONObject {
    var json: JSONObject = [
      "id": .string(row.id.text), "user_id": .string(row.user.text), "user": .string(row.userName),
      "name": .string(row.name),
      "app": JSONCell.text(row.app), "platform": .string(row.platform),
      "app_version": .string(row.appVersion),
      "schema_version": .integer(row.schemaVersion), "max_no": .integer(row.maxNo),
      "confirmed_no": .integer(row.confirmedNo),
      "queue": [
        "pending": .integer(row.queue.pending), "failed": .integer(row.queue.failed),
        "oldest": JSONCell.text(row.queue.oldest?.rfc3339),
      ],
      "last_push_at": JSONCell.text(row.lastPushAt?.rfc3339),
      "last_pull_at": JSONCell.text(row.lastPullAt?.rfc3339),
      "created_at": .string(row.createdAt.rfc3339), "revoked_at": JSONCell.text(row.revokedAt?.rfc3339),
    ]
    if let days = row.doneDays { json["done_days"] = .integer(days) }
    return json
  }

  static func item(_ row: SyncItemRow, _ conflict: SyncConflict?) throws -> JSONObject {
    var json: JSONObject = [
      "device_id": .string(row.device.text), "no": .integer(row.no), "status": .string(row.status),
      "attempts": .integer(row.attempts), "type": .string(row.recordType), "id": .string(row.recordID.text),
      "op": .string(row.operation), "code": JSONCell.text(row.code),
      "mutation": try row.mutation?.value() ?? .null, "answer": try row.answer?.value() ?? .null,
      "retry_wanted": .bool(row.isRetryWanted), "first_at": .string(row.firstAt.rfc3339),
      "updated_at": .string(row.updatedAt.rfc3339),
    ]
    guard let conflict else { return json }
    json["version"] = .integer(conflict.version)
    if let status = conflict.status { json["record_status"] = .string(status) }
    json["fields"] = .array(conflict.fields.map { .object(field($0)) })
    return json
  }

  private static func field(_ field: SyncConflict.Field) -> JSONObject {
    var json: JSONObject = ["name": .string(field.name), "yours": field.own, "server": field.server]
    if let base = field.base { json["base"] = base }
    json["in_conflict"] = .bool(field.isInConflict)
    guard let past = field.past else { return json }
    json["by"] = JSONCell.text(past.name)
    json["by_id"] = JSONCell.text(past.person?.text)
    json["at"] = JSONCell.text(past.at?.rfc3339)
    return json
  }
}
