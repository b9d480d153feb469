internal import CLibPQ

/// One value of a result, in libpq's memory.
///
/// ```swift
/// extension Celsius: PostgresDecodable {
///   public init(postgres cell: borrowing PostgresCell) throws(PostgresError) {
///     let degrees = try Double(postgres: cell)
///     guard degrees >= -273.15 else { throw cell.failure("is below absolute zero") }
///     self.init(degrees)
///   }
/// }
/// ```
///
/// A cell is lent to ``PostgresDecodable/init(postgres:)`` and cannot be kept: its memory is freed with the
/// result. Every accessor checks bounds.
public struct PostgresCell: ~Copyable {
  /// The OID of the value's type, such as that of a constant of ``PostgresType``.
  public let type: UInt32
  /// The column's index, counted from 0.
  public let column: Int
  let raw: UnsafeRawBufferPointer?
  /// The result that owns the bytes; it knows the column's name.
  let result: OpaquePointer

  init(type: UInt32, column: Int, raw: UnsafeRawBufferPointer?, result: OpaquePointer) {
    self.type = type
    self.column = column
    self.raw = raw
    self.result = result
  }

  /// True if the value is null.
  public var isNull: Bool { raw == nil }

  /// Returns the bytes without copying them; throws if the value is null.
  func value(_ wanted: Any.Type) throws(PostgresError) -> UnsafeRawBufferPointer {
    guard let raw else { throw failure("is null, but \(wanted) was requested") }
    return raw
  }

  /// Reads the whole value as one big-endian integer.
  ///
  /// - Throws: ``PostgresError`` of kind ``PostgresError/Kind/decoding`` if the value is null or has another
  ///   number of bytes.
  public func integer<T: FixedWidthInteger>(_ type: T.Type = T.self) throws(PostgresError) -> T {
    let bytes = try value(type)
    guard bytes.count == MemoryLayout<T>.size else {
      throw failure("holds \(bytes.count) bytes, but \(type) has \(MemoryLayout<T>.size)")
    }
    return T(bigEndian: bytes.loadUnaligned(as: T.self))
  }

  /// Reads the whole value as UTF-8 text; invalid bytes are replaced by U+FFFD.
  ///
  /// - Throws: ``PostgresError`` of kind ``PostgresError/Kind/decoding`` if the value is null.
  public func text() throws(PostgresError) -> String {
    String(decoding: try value(String.self), as: UTF8.self)
  }

  /// Copies the whole value.
  ///
  /// - Throws: ``PostgresError`` of kind ``PostgresError/Kind/decoding`` if the value is null.
  public func bytes() throws(PostgresError) -> [UInt8] {
    [UInt8](try value([UInt8].self))
  }

  /// Returns the error that the column cannot be read as a type; it names the column and both types.
  public func mismatch(_ wanted: Any.Type) -> PostgresError {
    failure("is \(PostgresType.describe(type)), which cannot be read as \(wanted)")
  }

  /// Returns an error about this column, of kind ``PostgresError/Kind/decoding``.
  ///
  /// - Parameter text: follows the column's number and name, as in `column 2 "at" is below absolute zero`.
  public func failure(_ text: String) -> PostgresError {
    let name = PQfname(result, Int32(column)).map { " \"\(String(cString: $0))\"" } ?? ""
    return PostgresError(.decoding, "column \(column + 1)\(name) \(text)")
  }
}
