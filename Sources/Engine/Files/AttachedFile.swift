package import FoundationEssentials

/// A file that a device attaches to a record. Its bytes arrive later, under the same id.
package struct AttachedFile: Sendable {
  /// The id, chosen by the device.
  package let id: UUID
  /// The kind of file, from the manifest of the record's type.
  package let kind: String
  package let name: String
  /// The size in bytes.
  package let size: Int
  /// The SHA-256 of the bytes; nil if the device does not declare it.
  package let digest: [UInt8]?

  package init(id: UUID, kind: String, name: String, size: Int, digest: [UInt8]? = nil) {
    self.id = id
    self.kind = kind
    self.name = name
    self.size = size
    self.digest = digest
  }

  /// The most files of a member whose bytes have not arrived.
  package static let mostAwaited = 1_000
}
