extension String: PostgresEncodable, PostgresDecodable {
  /// `text`.
  public static var postgresType: PostgresType { .text }

  /// UTF-8.
  public func encode(into buffer: inout ParameterBuffer) {
    buffer.append(utf8: self)
  }

  /// Reads all types whose binary format is their text, including enums and domains over text.
  public init(postgres cell: borrowing PostgresCell) throws(PostgresError) {
    guard PostgresType.isText(cell.type) else { throw cell.mismatch(String.self) }
    self = try cell.text()
  }
}

extension PostgresType {
  /// The first OID of user-defined types, such as enums and citext.
  private static let firstUserDefined: UInt32 = 16384

  static func isText(_ oid: UInt32) -> Bool {
    switch oid {
    case text.oid, varchar.oid, name.oid, bpchar.oid, json.oid, xml.oid, unknown.oid, char.oid: true
    default: oid >= firstUserDefined
    }
  }
}
