/// A kind of attachment that records of a type may have.
package struct AttachmentRule: Sendable, Hashable {
  /// The kind, such as `photo`.
  package let kind: String
  /// The largest file in bytes.
  package let maximumBytes: Int
  /// The media types accepted, such as `image/jpeg`; checked against the file's first bytes.
  package let media: [String]

  /// Creates a rule.
  package init(kind: String, maximumBytes: Int, media: [String]) {
    self.kind = kind
    self.maximumBytes = maximumBytes
    self.media = media
  }
}

extension AttachmentRule: NamedDecodable, Encodable {
  private enum CodingKeys: String, CodingKey {
    case name, media
    case maximumBytes = "max_bytes"
  }

  package init(name: String?, from decoder: any Decoder) throws {
    let object = try StrictObject(decoder, keys: ["max_bytes", "media"] + (name == nil ? ["name"] : []))
    self.init(
      kind: try name ?? object.required("name"),
      maximumBytes: try object.required("max_bytes"),
      media: try object.value("media", default: [])
    )
    guard maximumBytes > 0 else { throw object.invalid("max_bytes", "A file has at least one byte") }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(kind, forKey: .name)
    try container.encode(maximumBytes, forKey: .maximumBytes)
    try container.encode(media, forKey: .media)
  }
}
