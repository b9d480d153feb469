/// A database name, or a dotted path of names; always quoted in the statement.
///
/// ```swift
/// let table = Identifier("library", "book")   // "library"."book"
/// let name: Identifier = "Book"               // "Book", not book
/// try await database.execute("truncate \(identifier: table)")
/// ```
///
/// Quoting makes any name safe, keywords and quotation marks included, and makes names case-sensitive.
public struct Identifier: Sendable, Hashable, ExpressibleByStringLiteral {
  /// The names of the path, outermost first.
  public let parts: [String]

  /// Creates a path such as a schema and its table, outermost name first.
  public init(_ parts: String...) {
    self.parts = parts
  }

  /// Creates a single name; a dot in it is part of the name.
  public init(stringLiteral value: String) {
    parts = [value]
  }

  /// Appends the quoted names, separated by dots.
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
