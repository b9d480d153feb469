internal import GRDB
internal import SyncProtocol

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The files of records.
extension Client {
  /// Adds a file to a record. Its bytes are copied to this device, and sent by the next synchronisation.
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
    try await store.write { db in try Uploads(db).apply(.retry, to: text) }
    wake()
  }

  /// Gives up a file that failed.
  ///
  /// - Throws: ``ClientError`` with the kinds `unknownChange` and `wrongState`.
  public func discardFile(_ id: UUID) async throws {
    let text = id.uuidString.lowercased()
    try await store.write { db in try Uploads(db).apply(.discard, to: text) }
  }
}
