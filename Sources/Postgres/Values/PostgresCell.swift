internal import CLibPQ

/// One value of a result, in libpq's memory.
///
/// A cell is lent to ``PostgresDecodable/init(postgres:)`` and cannot be kept: its memory is freed with the
/// result. Every accessor checks bounds.
public struct PostgresCell: ~Copyable {
  /// The OID of the value's type.
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

  /// Returns the bytes; throws if the value is null.
  func value(_ wanted: Any.Type) throws(PostgresError) -> UnsafeRawBufferPointer {
    guard let raw else { throw failure("is null, but \(wanted) was requested") }
    return raw
  }

  /// Reads the whole value as one big-endian integer.
  public func integer<T: FixedWidthInteger>(_ type: T.Type = T.self) throws(PostgresError) -> T {
    let bytes = try value(type)
    guard bytes.count == MemoryLayout<T>.size else {
      throw failure("holds \(bytes.count) bytes, but \(type) has \(MemoryLayout<T>.size)")
    }
    return T(bigEndian: bytes.loadUnaligned(as: T.self))
  }

  /// Reads the whole value as UTF-8 text.
  public func text() throws(PostgresError) -> String {
    String(decoding: try value(String.self), as: UTF8.self)
  }

  /// Copies the whole value.
  public func bytes() throws(PostgresError) -> [UInt8] {
    [UInt8](try value([UInt8].self))
  }

  /// Returns the error that the column cannot be read as the type.
  public func mismatch(_ wanted: Any.Type) -> PostgresError {
    failure("is \(PostgresType.describe(type)), which cannot be read as \(wanted)")
  }

  /// Returns an error about this column; `text` follows the column's name.
  public func failure(_ text: String) -> PostgresError {
    let name = PQfname(result, Int32(column)).map { " \"\(String(cString: $0))\"" } ?? ""
    return PostgresError(.decoding, "column \(column + 1)\(name) \(text)")
  }
}
