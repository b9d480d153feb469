/// A database name, or a dotted path of names; always quoted in the statement.
///
/// ```swift
/// let table = Identifier("library", "book")   // "library"."book"
/// ```
public struct Identifier: Sendable, Hashable, ExpressibleByStringLiteral {
  /// The names of the path, outermost first.
  public let parts: [String]

  /// A path such as a schema and its table.
  public init(_ parts: String...) {
    self.parts = parts
  }

  /// A single name; a dot in it is part of the name.
  public init(stringLiteral value: String) {
    parts = [value]
  }

  static func append(_ parts: [String], to utf8: inout [UInt8]) {
    for (index, part) in parts.enumerated() {
      if index > 0 { utf8.append(UInt8(ascii: ".")) }
      utf8.append(UInt8(ascii: "\""))
      for byte in part.utf8 {
        if byte == UInt8(ascii: "\"") { utf8.append(byte) }
        utf8.append(byte)
      }
      utf8.append(UInt8(ascii: "\""))
    }
  }
}
