/// A JSON document, held as its text.
///
/// Sent as `jsonb`; read from `jsonb` or `json`. PostgreSQL validates the text and normalises `jsonb`, so
/// white space and the order of keys may differ when it is read back. Two documents are equal if their texts
/// are.
///
/// ```swift
/// let settings = JSON(text: #"{"colour": "red"}"#)
/// try await database.execute("update member set settings = \(settings) where id = \(id)")
/// ```
public struct JSON: Sendable, Hashable {
  /// The text of the document.
  public let text: String

  /// Creates a document from its text, which is not checked here; PostgreSQL rejects invalid JSON with
  /// SQLSTATE 22P02.
  public init(text: String) {
    self.text = text
  }
}

extension JSON: PostgresEncodable, PostgresDecodable {
  private static let version: UInt8 = 1

  /// `jsonb`.
  public static var postgresType: PostgresType { .jsonb }

  /// Appends the version byte of the `jsonb` format, then the text.
  public func encode(into buffer: inout ParameterBuffer) {
    buffer.append(Self.version)
    buffer.append(utf8: text)
  }

  /// Reads `jsonb` or `json`; any other type is an error.
  public init(postgres cell: borrowing PostgresCell) throws(PostgresError) {
    switch cell.type {
    case PostgresType.json.oid:
      text = try cell.text()
    case PostgresType.jsonb.oid:
      let bytes = try cell.value(JSON.self)
      guard bytes.first == Self.version else { throw cell.failure("is jsonb of an unknown version") }
      text = String(decoding: bytes.dropFirst(), as: UTF8.self)
    default:
      throw cell.mismatch(JSON.self)
    }
  }
}

extension JSON: CustomStringConvertible {
  /// The text of the document.
  public var description: String { text }
}
