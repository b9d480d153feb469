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
/// ``PostgresRawRepresentable`` and ``PostgresTextEnum`` provide this conformance. Encoding cannot fail: a
/// value that the server cannot accept must be rejected when it is created.
public protocol PostgresEncodable: Sendable {
  /// The type declared to the server; ``PostgresType/inferred`` lets the server choose.
  static var postgresType: PostgresType { get }
  /// The type of an array of such values. The default is the array type of ``postgresType``.
  static var postgresArrayType: PostgresType { get }
  /// Appends the value in PostgreSQL's binary format, or calls ``ParameterBuffer/appendNull()``.
  func encode(into buffer: inout ParameterBuffer)
  /// Appends an array of such values. The default implementation calls ``encode(into:)`` for each element.
  static func encodeArray(_ elements: [Self], into buffer: inout ParameterBuffer)
}

extension PostgresEncodable {
  /// The array type of ``postgresType`` in PostgreSQL's catalogue.
  public static var postgresArrayType: PostgresType {
    PostgresType(oid: postgresType.arrayOID, arrayOID: 0)
  }

  /// Encodes a one-dimensional array with lower bound 1; null elements are allowed.
  public static func encodeArray(_ elements: [Self], into buffer: inout ParameterBuffer) {
    // The array header must name an element type, so an inferred one is sent as text.
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
