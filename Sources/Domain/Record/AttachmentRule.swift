/// A kind of attachment that the records of a type may have.
package struct AttachmentRule: Sendable, Hashable {
  /// The kind, such as `photo`.
  package let kind: String
  /// The maximum size of a file in bytes, at least 1.
  package let maximumBytes: Int
  /// The accepted media types, such as `image/jpeg`, which are compared with the first bytes of the file.
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
    guard maximumBytes > 0 else { throw object.invalid("max_bytes", "max_bytes must be 1 or more") }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(kind, forKey: .name)
    try container.encode(maximumBytes, forKey: .maximumBytes)
    try container.encode(media, forKey: .media)
  }
}
