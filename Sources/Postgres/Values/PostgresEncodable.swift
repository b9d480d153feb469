/// A value that can be bound to a placeholder of a statement.
///
/// A type of your own usually wraps one that conforms already:
///
/// ```swift
/// extension CustomerID: PostgresEncodable {
///   static var postgresType: PostgresType { .uuid }
///   func encode(into buffer: inout ParameterBuffer) { uuid.encode(into: &buffer) }
/// }
/// ```
///
/// See also ``PostgresRawRepresentable`` and ``PostgresTextEnum``, which write this for you.
public protocol PostgresEncodable: Sendable {
  /// The type that the server is told the value has.
  static var postgresType: PostgresType { get }
  /// The type of an array of such values; nearly always left to the default.
  static var postgresArrayType: PostgresType { get }
  /// Appends the value in PostgreSQL's binary format, or calls ``ParameterBuffer/appendNull()``.
  func encode(into buffer: inout ParameterBuffer)
  /// Appends an array of such values; nearly always left to the default.
  static func encodeArray(_ elements: [Self], into buffer: inout ParameterBuffer)
}

extension PostgresEncodable {
  /// The array type that the catalogue pairs with ``postgresType``.
  public static var postgresArrayType: PostgresType {
    PostgresType(oid: postgresType.arrayOID, arrayOID: 0)
  }

  /// One dimension, counted from 1, with null elements where an element encodes itself as null.
  public static func encodeArray(_ elements: [Self], into buffer: inout ParameterBuffer) {
    // An inferred element type cannot be written into the header, which must name one: text is what it is.
    let element = postgresType.oid == 0 ? PostgresType.text.oid : postgresType.oid
    buffer.append(Int32(elements.isEmpty ? 0 : 1))
    let flags = buffer.reserveInt32()
    buffer.append(element)
    guard !elements.isEmpty else { return }
    buffer.append(Int32(elements.count))
    buffer.append(Int32(1))
    for value in elements where buffer.appendElement(value) {
      buffer.overwrite(Int32(1), at: flags)
    }
  }
}
