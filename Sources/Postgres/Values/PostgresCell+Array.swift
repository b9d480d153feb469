/// Iterates over the elements of a one-dimensional array in PostgreSQL's binary format.
struct ArrayElements: ~Copyable {
  let count: Int
  private let type: UInt32
  private let raw: UnsafeRawBufferPointer
  private var offset = 20

  init(count: Int, type: UInt32, raw: UnsafeRawBufferPointer) {
    self.count = count
    self.type = type
    self.raw = raw
  }

  /// Returns the next element.
  ///
  /// - Parameter cell: the cell of the array, for errors.
  mutating func next(of cell: borrowing PostgresCell) throws(PostgresError) -> PostgresCell {
    guard offset + 4 <= raw.count else { throw cell.failure("is a truncated array") }
    let length = Int(Int32(bigEndian: raw.loadUnaligned(fromByteOffset: offset, as: Int32.self)))
    offset += 4
    guard length >= 0 else {
      return PostgresCell(type: type, column: cell.column, raw: nil, result: cell.result)
    }
    guard offset + length <= raw.count else { throw cell.failure("is a truncated array") }
    let bytes = UnsafeRawBufferPointer(rebasing: raw[offset..<offset + length])
    offset += length
    return PostgresCell(type: type, column: cell.column, raw: bytes, result: cell.result)
  }
}

extension PostgresCell {
  /// Returns the elements of this cell if it is a one-dimensional or empty array.
  func arrayElements(_ wanted: Any.Type) throws(PostgresError) -> ArrayElements {
    let raw = try value(wanted)
    guard !PostgresType.isScalar(type), raw.count >= 12 else { throw mismatch(wanted) }
    let dimensions = Int32(bigEndian: raw.loadUnaligned(as: Int32.self))
    let flags = Int32(bigEndian: raw.loadUnaligned(fromByteOffset: 4, as: Int32.self))
    let element = UInt32(bigEndian: raw.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
    guard flags == 0 || flags == 1, element != 0 else { throw mismatch(wanted) }
    guard dimensions != 0 else { return ArrayElements(count: 0, type: element, raw: raw) }
    guard dimensions == 1, raw.count >= 20 else {
      throw failure("is an array of \(dimensions) dimensions; only one is supported")
    }
    let count = Int32(bigEndian: raw.loadUnaligned(fromByteOffset: 12, as: Int32.self))
    guard count >= 0 else { throw mismatch(wanted) }
    return ArrayElements(count: Int(count), type: element, raw: raw)
  }
}
