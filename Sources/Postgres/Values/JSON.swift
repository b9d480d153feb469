/// A JSON document, held as its text.
///
/// Sent as `jsonb`; read from `jsonb` or `json`. PostgreSQL validates the text and normalises `jsonb`, so
/// white space and the order of keys may differ when it is read back.
public struct JSON: Sendable, Hashable {
  /// The document.
  public let text: String

  /// A document from its text; PostgreSQL refuses text that is not JSON with 22P02.
  public init(text: String) {
    self.text = text
  }
}

extension JSON: PostgresEncodable, PostgresDecodable {
  private static let version: UInt8 = 1

  /// `jsonb`.
  public static var postgresType: PostgresType { .jsonb }

  /// The version byte of the format, then the text.
  public func encode(into buffer: inout ParameterBuffer) {
    buffer.append(Self.version)
    buffer.append(utf8: text)
  }

  /// Reads `jsonb` or `json`.
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
  /// The document.
  public var description: String { text }
}
