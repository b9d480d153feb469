internal import GRDB
internal import SyncProtocol

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Changes of records. The record on this device and the change in the queue are written in one transaction.
extension Client {
  /// Creates a record.
  ///
  /// - Parameter id: the id; nil for a random one.
  /// - Returns: the id of the record.
  @discardableResult
  public func create(_ type: String, id: UUID? = nil, _ fields: [String: FieldValue]) async throws -> UUID {
    let id = id ?? UUID()
    try await change(type, id) { key, now, db in
      guard try Shadow(db).view(key) == nil else {
        throw ClientError(.invalidInput, "there is a record \(key.id) on this device")
      }
      try Shadow(db).cover(key, base: 0, fields)
      return try Outbox(db).append(.create, key, fields: fields, base: 0, now: now)
    }
    return id
  }

  /// Changes fields of a record.
  ///
  /// - Throws: ``ClientError`` with the kinds `unknownRecord`, `recordDeleted`, or `invalidInput` without fields.
  @discardableResult
  public func patch(_ type: String, _ id: UUID, _ fields: [String: FieldValue]) async throws -> Change.ID {
    guard !fields.isEmpty else { throw ClientError(.invalidInput, "the change has no fields") }
    return try await change(type, id) { key, now, db in
      let view = try Self.living(key, db)
      try Shadow(db).cover(key, base: view.version, view.fields.merging(fields) { _, new in new })
      return try Outbox(db).append(.patch, key, fields: fields, base: view.version, now: now)
    }
  }

  /// Applies a transition of the record's workflow.
  ///
  /// - Parameters:
  ///   - fields: the fields that the transition requires or allows.
  ///   - status: the status to show until the server has judged; nil to show the present one.
  /// - Throws: ``ClientError`` with the kinds `unknownRecord` and `recordDeleted`.
  @discardableResult
  public func transition(
    _ type: String,
    _ id: UUID,
    _ name: String,
    _ fields: [String: FieldValue] = [:],
    comment: String? = nil,
    showing status: String? = nil
  ) async throws -> Change.ID {
    try await change(type, id) { key, now, db in
      let view = try Self.living(key, db)
      var shown = view.fields.merging(fields) { _, new in new }
      if let status { shown["status"] = .string(status) }
      try Shadow(db).cover(key, base: view.version, shown)
      return try Outbox(db).append(
        .transition,
        key,
        fields: fields,
        transition: name,
        comment: comment,
        base: view.version,
        now: now
      )
    }
  }

  /// Deletes a record.
  ///
  /// - Throws: ``ClientError`` with the kinds `unknownRecord` and `recordDeleted`.
  @discardableResult
  public func delete(_ type: String, _ id: UUID, comment: String? = nil) async throws -> Change.ID {
    try await change(type, id) { key, now, db in
      let view = try Self.living(key, db)
      try Shadow(db).cover(key, base: view.version, view.fields, isDeleted: true)
      return try Outbox(db).append(.delete, key, comment: comment, base: view.version, now: now)
    }
  }

  private static func living(_ key: RecordKey, _ db: Database) throws -> Shadow.View {
    guard let view = try Shadow(db).view(key) else {
      throw ClientError(.unknownRecord, "there is no record \(key.id) of \(key.type) on this device")
    }
    guard !view.isDeleted else { throw ClientError(.recordDeleted, "the record \(key.id) is deleted") }
    return view
  }

  @discardableResult
  private func change(
    _ type: String,
    _ id: UUID,
    _ body: @Sendable @escaping (RecordKey, Int64, Database) throws -> ChangeRow
  ) async throws -> Change.ID {
    let (key, now) = (RecordKey(type: type, id: id.uuidString.lowercased()), configuration.seconds)
    let change = try await store.write { db in try body(key, now, db).change(isPulled: false) }
    wake()
    return change.id
  }
}
