/// A kind of attachment that the records of a type may have.
package struct AttachmentRule: Sendable, Hashable {
  /// The maximum size of a file in bytes if the manifest names none: 2 MiB.
  package static let defaultMaximumBytes = 2_097_152
  /// The largest maximum size that a manifest may name: 64 MiB.
  package static let largestFile = 67_108_864
  /// The media types that the engine recognises by their first bytes.
  package static let knownMedia = [
    "image/jpeg", "image/png", "image/webp", "image/gif", "image/heic", "application/pdf", "text/plain",
    "text/csv",
  ]

  /// The kind, such as `photo`.
  package let kind: String
  /// The maximum size of a file in bytes, from 1 to ``largestFile``.
  package let maximumBytes: Int
  /// The maximum number of files of the kind on one record, at least 1; nil for no limit of its own.
  package let maximumCount: Int?
  /// The accepted media types, such as `image/jpeg`, which are compared with the content of the file; empty for
  /// all of ``knownMedia``.
  package let media: [String]

  /// Creates a rule.
  package init(
    kind: String,
    maximumBytes: Int = defaultMaximumBytes,
    maximumCount: Int? = nil,
    media: [String]
  ) {
    self.kind = kind
    self.maximumBytes = maximumBytes
    self.maximumCount = maximumCount
    self.media = media
  }

  /// True if the kind accepts files of a media type.
  package func accepts(_ type: String) -> Bool {
    media.isEmpty ? Self.knownMedia.contains(type) : media.contains(type)
  }
}

extension AttachmentRule: NamedDecodable, Encodable {
  private enum CodingKeys: String, CodingKey {
    case name, media
    case maximumBytes = "max_bytes"
    case maximumCount = "max_count"
  }

  package init(name: String?, from decoder: any Decoder) throws {
    let object = try StrictObject(
      decoder,
      keys: ["max_bytes", "max_count", "media"] + (name == nil ? ["name"] : [])
    )
    self.init(
      kind: try name ?? object.required("name"),
      maximumBytes: try object.value("max_bytes", default: Self.defaultMaximumBytes),
      maximumCount: try object.value("max_count", default: nil),
      media: try object.value("media", default: [])
    )
    guard (1...Self.largestFile).contains(maximumBytes) else {
      throw object.invalid("max_bytes", "max_bytes must be from 1 to \(Self.largestFile)")
    }
    guard maximumCount.map({ $0 > 0 }) ?? true else {
      throw object.invalid("max_count", "max_count must be 1 or more")
    }
    if let unknown = media.first(where: { !Self.knownMedia.contains($0) }) {
      throw object.invalid(
        "media",
        "\(Quoted(unknown)) is not a media type that can be checked: use \(Self.knownMedia.joined(separator: ", "))"
      )
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(kind, forKey: .name)
    try container.encode(maximumBytes, forKey: .maximumBytes)
    try container.encodeIfPresent(maximumCount, forKey: .maximumCount)
    try container.encode(media, forKey: .media)
  }
}
