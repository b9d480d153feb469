public import FoundationEssentials

extension UUID: PostgresEncodable, PostgresDecodable {
  /// `uuid`.
  public static var postgresType: PostgresType { .uuid }

  /// Appends the sixteen bytes.
  public func encode(into buffer: inout ParameterBuffer) {
    withUnsafeBytes(of: uuid) { buffer.append(bytes: $0) }
  }

  /// Reads `uuid`; any other type is an error.
  public init(postgres cell: borrowing PostgresCell) throws(PostgresError) {
    guard cell.type == PostgresType.uuid.oid else { throw cell.mismatch(UUID.self) }
    let bytes = try cell.value(UUID.self)
    guard bytes.count == 16 else { throw cell.failure("holds \(bytes.count) bytes, but a UUID has 16") }
    self.init(uuid: bytes.loadUnaligned(as: uuid_t.self))
  }
}
