internal import Domain
internal import FoundationEssentials
internal import Store

/// The policies of types for changes of a device.
struct SyncRuling: ChangePolicy {
  let device: UUID

  func ruling(
    on request: ChangeRequest,
    _ type: RecordType,
    _ standing: RecordStanding?,
    changed: (_ base: Int64) throws -> ChangeRuling.Changed,
    isSame: (JSONObject) throws -> Bool
  ) throws -> ChangeRuling {
    guard type.definition.sync != .serverOnly else {
      throw DomainError(.forbidden, "devices cannot change \(type.definition.plural.lowercased())")
    }
    switch request.operation {
    case .create(_, _, let fields): return try Self.creation(fields, type, standing, isSame)
    case .update(_, _, let fields, _): return try Self.patch(fields, request.base, type, standing, changed)
    case .transition, .attach:
      _ = try Self.living(standing, type)
      return .proceed(isMerge: false)
    case .delete, .restore:
      // A deletion wins over every other change, so that two devices may delete the same record.
      guard let standing, standing.isDeleted else { return .proceed(isMerge: false) }
      return .done(version: standing.version)
    }
  }

  /// A record with the same id and the same values is the same creation, sent by a device that lost its numbers.
  private static func creation(
    _ fields: JSONObject,
    _ type: RecordType,
    _ standing: RecordStanding?,
    _ isSame: (JSONObject) throws -> Bool
  ) throws -> ChangeRuling {
    guard let standing else { return .proceed(isMerge: false) }
    guard !standing.isDeleted else { throw deleted(type) }
    try FieldCheck(type: type, rule: nil, isComparison: true).require(fields)
    guard try isSame(fields) else {
      throw DomainError(
        .alreadyExists,
        "a \(type.definition.label.lowercased()) with this id exists already, with other values",
        details: ["fields": ["id"]]
      )
    }
    return .done(version: standing.version)
  }

  private static func patch(
    _ fields: JSONObject,
    _ base: Int64?,
    _ type: RecordType,
    _ standing: RecordStanding?,
    _ changed: (Int64) throws -> ChangeRuling.Changed
  ) throws -> ChangeRuling {
    let policy = type.definition.sync
    guard policy != .appendOnly else {
      throw DomainError(
        .fieldNotEditable,
        "\(type.definition.plural.lowercased()) cannot be changed, only created and deleted"
      )
    }
    guard !fields.isEmpty else { throw DomainError(.missingFields, "the change has no fields") }
    let standing = try living(standing, type)
    guard policy.readsBase else { return .proceed(isMerge: false) }
    guard let base else {
      throw DomainError(.missingFields, "base_version is missing", details: ["fields": ["base_version"]])
    }
    guard base != standing.version else { return .proceed(isMerge: false) }
    let (columns, isTold, isByOthers) = try changed(base)
    // A version that the record does not have yet is one of before a restore.
    let isKnown = isTold && base <= standing.version
    // The device's own changes, offline and in this order, are no quarrel: it knew them when it made this one.
    guard !isKnown || isByOthers else { return .proceed(isMerge: false) }
    var conflicting = fields.keys.filter(columns.contains)
    if !isKnown || policy == .reject && conflicting.isEmpty { conflicting = fields.keys }
    guard policy == .fieldMerge, conflicting.isEmpty else {
      throw DomainError(
        .stale,
        "somebody else changed the \(type.definition.label.lowercased()) since version \(base)",
        details: ["fields": .strings(conflicting)]
      )
    }
    return .proceed(isMerge: true)
  }

  private static func living(_ standing: RecordStanding?, _ type: RecordType) throws(DomainError)
    -> RecordStanding
  {
    guard let standing else {
      throw DomainError(.notFound, "there is no such \(type.definition.label.lowercased())")
    }
    guard !standing.isDeleted else { throw deleted(type) }
    return standing
  }

  private static func deleted(_ type: RecordType) -> DomainError {
    DomainError(.recordDeleted, "the \(type.definition.label.lowercased()) has been deleted")
  }
}

extension SyncPolicy {
  /// True if a patch depends on the version that the device knows.
  var readsBase: Bool { self == .fieldMerge || self == .reject }
}
