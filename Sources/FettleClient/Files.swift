internal import GRDB
internal import SyncProtocol

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The files of records.
extension Client {
  /// Adds a file to a record: a change like any other, which is judged in the order of the changes. The bytes are copied to
  /// this device, and sent by the synchronisation that applies the change.
  ///
  /// - Parameters:
  ///   - kind: the kind of file, from the manifest of the record's type, such as `photo`.
  ///   - mediaType: the media type, such as `image/jpeg`.
  /// - Returns: the id of the file.
  /// - Throws: ``ClientError`` with the kinds `unknownRecord`, `recordDeleted`, or `invalidInput` for an empty file.
  @discardableResult
  public func addFile(
    to type: String,
    _ record: UUID,
    kind: String,
    name: String,
    mediaType: String,
    bytes: [UInt8]
  ) async throws -> UUID {
    guard !bytes.isEmpty else { throw ClientError(.invalidInput, "the file \(name) is empty") }
    let (id, now) = (UUID(), configuration.seconds)
    let (key, text) = (
      RecordKey(type: type, id: record.uuidString.lowercased()), id.uuidString.lowercased()
    )
    let path = store.path(of: text)
    do {
      try Data(bytes).write(to: URL(filePath: path), options: .atomic)
    } catch {
      throw ClientError(.store, "the file cannot be written to \(path): \(error)")
    }
    do {
      try await store.write { db in
        guard let view = try Shadow(db).view(key) else {
          throw ClientError(.unknownRecord, "there is no record \(key.id) of \(type) on this device")
        }
        guard !view.isDeleted else { throw ClientError(.recordDeleted, "the record \(key.id) is deleted") }
        try Uploads(db).append(
          text,
          key,
          kind: kind,
          name: name,
          mediaType: mediaType,
          size: bytes.count,
          now: now
        )
        _ = try Outbox(db).append(.attach, key, file: text, base: view.version, now: now)
      }
    } catch {
      try FileManager.default.removeItem(atPath: path)
      throw error
    }
    wake()
    return id
  }

  /// Returns the path of a file on this device. A file of the server is downloaded at the first use, and kept.
  public func file(_ id: UUID, _ variant: FileVariant = .content) async throws -> String {
    try await FileTransfer(exchange).path(of: id.uuidString.lowercased(), variant)
  }

  /// Sends a file again that failed.
  ///
  /// - Throws: ``ClientError`` with the kinds `unknownChange` and `wrongState`.
  public func retryFile(_ id: UUID) async throws {
    let text = id.uuidString.lowercased()
    if let change = try await change(of: text, in: ["failed"]) { return try await retry(change) }
    try await store.write { db in try Uploads(db).apply(.retry, to: text) }
    wake()
  }

  /// Gives up a file that failed.
  ///
  /// - Throws: ``ClientError`` with the kinds `unknownChange` and `wrongState`.
  public func discardFile(_ id: UUID) async throws {
    let text = id.uuidString.lowercased()
    if let change = try await change(of: text, in: ["conflict", "failed"]) {
      return try await resolve(change, taking: .discard)
    }
    try await store.write { db in try Uploads(db).apply(.discard, to: text) }
    wake()
  }

  /// Returns the change that attaches a file, if it waits for a person.
  private func change(of file: String, in statuses: [String]) async throws -> Change.ID? {
    try await store.read { db in
      let row = try Outbox(db).rows("file = ?", [file]).last { statuses.contains($0.item.status.rawValue) }
      return try row?.change(isPulled: true).id
    }
  }
}
