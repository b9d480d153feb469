/// A JSON document, held as its text.
///
/// It is sent as `jsonb`, and read from `jsonb` or `json`. PostgreSQL checks the text and keeps `jsonb`
/// normalised, so what is read back may differ in white space and in the order of keys.
public struct JSON: Sendable, Hashable {
  /// The document.
  public let text: String

  /// A document from its text; PostgreSQL refuses it with 22P02 when it is not JSON.
  public init(text: String) {
    self.text = text
  }
}

extension JSON: PostgresEncodable, PostgresDecodable {
  private static let version: UInt8 = 1

  /// `jsonb`.
  public static var postgresType: PostgresType { .jsonb }

  /// The version of the format, then the text.
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
