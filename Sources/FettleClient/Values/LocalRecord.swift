#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A record as this device has it, with the changes that it made and that are not synchronised yet.
public struct LocalRecord: Sendable, Hashable, Identifiable {
  /// The id.
  public let id: UUID
  /// The type, such as `maintenance.entry`.
  public let type: String
  /// The version of the server's record on which this is based; 0 if the record was created here and not pulled yet.
  public let version: Int64
  /// The fields by name.
  public let fields: [String: FieldValue]
  /// The files that the server has, and those that wait on this device.
  public let files: [LocalFile]
  /// True if it has changes of this device whose effect was not pulled yet, or which wait for a decision.
  public let isChanged: Bool

  /// The value of a field; nil if there is none.
  public subscript(_ field: String) -> FieldValue? { fields[field] }
}

/// A file of a record.
public struct LocalFile: Sendable, Hashable, Identifiable {
  /// The states of a file.
  public enum State: Sendable, Hashable {
    /// The bytes wait on this device.
    case waiting
    /// The bytes could not be sent.
    case failed(code: String?)
    /// The bytes are on their way to the server, or it prepares them; others do not see them yet.
    case preparing
    /// Everybody who may read the record can download it.
    case ready
  }

  /// The id, chosen by the device that added the file.
  public let id: UUID
  /// The kind of file, from the manifest of the record's type, such as `photo`.
  public let kind: String
  /// The name.
  public let name: String
  /// The media type.
  public let mediaType: String
  /// The size in bytes.
  public let size: Int64
  /// The state.
  public let state: State
}

/// The forms of a file that can be downloaded.
public enum FileVariant: String, Sendable, Hashable, CaseIterable {
  /// The file itself.
  case content
  /// A small picture of it, as JPEG.
  case thumbnail
}
