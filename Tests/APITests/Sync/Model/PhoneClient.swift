import FettleClient
import FoundationEssentials
import SyncProtocol

/// What the model does with a phone: the client library in Swift, or the field app's own core in a browser.
protocol PhoneClient: Sendable {
  var device: UUID { get async throws }
  /// The changes, with those that were sent.
  var changes: [Change] { get async throws }
  var waiting: [Waiting] { get async throws }
  var unsynced: Int { get async throws }

  /// The records of a type as the person sees them.
  func all(_ type: String) async throws -> [LocalRecord]
  func make(_ type: String, _ id: UUID, _ fields: [String: FieldValue]) async throws
  func edit(_ type: String, _ id: UUID, _ fields: [String: FieldValue]) async throws
  func move(_ type: String, _ id: UUID, _ transition: String) async throws
  func remove(_ type: String, _ id: UUID) async throws
  /// Attaches a photo, and returns its id.
  func attach(_ type: String, _ id: UUID, _ bytes: [UInt8]) async throws -> UUID
  func resolve(_ id: Change.ID, taking resolution: SyncResolution) async throws
  func retry(_ id: Change.ID) async throws
  func retryFile(_ id: UUID) async throws
  func discardFile(_ id: UUID) async throws
  func synchronise() async throws
}

extension PhoneClient {
  var conflicts: [Change] { get async throws { try await changes.filter { $0.status == .conflict } } }
  var failed: [Change] { get async throws { try await changes.filter { $0.status == .failed } } }
}

extension Client: PhoneClient {
  func all(_ type: String) async throws -> [LocalRecord] { try await records(type).all() }

  func make(_ type: String, _ id: UUID, _ fields: [String: FieldValue]) async throws {
    _ = try await create(type, id: id, fields)
  }

  func edit(_ type: String, _ id: UUID, _ fields: [String: FieldValue]) async throws {
    _ = try await patch(type, id, fields)
  }

  func move(_ type: String, _ id: UUID, _ transition: String) async throws {
    _ = try await self.transition(type, id, transition)
  }

  func remove(_ type: String, _ id: UUID) async throws { _ = try await delete(type, id) }

  func attach(_ type: String, _ id: UUID, _ bytes: [UInt8]) async throws -> UUID {
    try await addFile(to: type, id, kind: "photo", name: "photo.jpg", mediaType: "image/jpeg", bytes: bytes)
  }

  func synchronise() async throws { _ = try await sync() }
}
