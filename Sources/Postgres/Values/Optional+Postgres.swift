extension Optional: PostgresEncodable where Wrapped: PostgresEncodable {
  /// The type of the wrapped value.
  public static var postgresType: PostgresType { Wrapped.postgresType }
  /// The array type of the wrapped value; its elements may be null.
  public static var postgresArrayType: PostgresType { Wrapped.postgresArrayType }

  /// Appends the value, or null for `nil`.
  public func encode(into buffer: inout ParameterBuffer) {
    switch self {
    case .some(let value): value.encode(into: &buffer)
    case .none: buffer.appendNull()
    }
  }
}

extension Optional: PostgresDecodable where Wrapped: PostgresDecodable {
  /// A missing row is read as `nil`.
  public static var absent: Wrapped?? { .some(.none) }

  /// Reads null as `nil`.
  public init(postgres cell: borrowing PostgresCell) throws(PostgresError) {
    self = cell.isNull ? nil : try Wrapped(postgres: cell)
  }
}
