extension String: PostgresEncodable, PostgresDecodable {
  /// `text`.
  public static var postgresType: PostgresType { .text }

  /// Appends the text as UTF-8. The server rejects a NUL character.
  public func encode(into buffer: inout ParameterBuffer) {
    buffer.append(utf8: self)
  }

  /// Reads `text`, `varchar`, `char(n)`, `name`, `json`, `xml`, `"char"` and all user-defined types, which
  /// includes enums and domains over text; for a user-defined type with another binary format the result is
  /// meaningless.
  public init(postgres cell: borrowing PostgresCell) throws(PostgresError) {
    guard PostgresType.isText(cell.type) else { throw cell.mismatch(String.self) }
    self = try cell.text()
  }
}

extension PostgresType {
  /// The first OID of user-defined types, such as enums and citext.
  private static let firstUserDefined: UInt32 = 16384

  /// Returns true if the binary format of the type is assumed to be its text.
  static func isText(_ oid: UInt32) -> Bool {
    switch oid {
    case text.oid, varchar.oid, name.oid, bpchar.oid, json.oid, xml.oid, unknown.oid, char.oid: true
    default: oid >= firstUserDefined
    }
  }
}
