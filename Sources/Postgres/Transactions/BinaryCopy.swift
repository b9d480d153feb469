/// The row writer of ``Transaction/copy(into:columns:_:)``.
///
/// Rows are buffered and sent in blocks of 64 KiB.
public struct BinaryCopy: ~Copyable {
  private let wire: Wire
  private let columns: Int
  private var buffer = ParameterBuffer()
  // Large enough to make system calls cheap, small enough for the cache.
  private static let chunk = 64 * 1024

  init(wire: Wire, columns: Int) {
    self.wire = wire
    self.columns = columns
    buffer.reserveBytes(Self.chunk + 4096)
    // Signature, flags, length of the extension: PostgreSQL manual, COPY, "Binary Format".
    buffer.append(bytes: [0x50, 0x47, 0x43, 0x4F, 0x50, 0x59, 0x0A, 0xFF, 0x0D, 0x0A, 0x00])
    buffer.append(Int32(0))
    buffer.append(Int32(0))
  }

  /// Adds a row: one value per column, in the order of the columns.
  ///
  /// - Throws: ``PostgresError`` of kind ``PostgresError/Kind/usage`` if the number of values differs from the number of
  ///   columns.
  public mutating func row<each T: PostgresEncodable>(_ values: repeat each T) throws(PostgresError) {
    let header = buffer.bytes.count
    buffer.append(Int16(0))
    var count: Int16 = 0
    for value in repeat each values {
      buffer.appendElement(value)
      count += 1
    }
    guard columns == 0 || Int(count) == columns else {
      throw PostgresError(.usage, "a row has \(count) values for \(columns) columns")
    }
    buffer.overwrite(count, at: header)
    if buffer.bytes.count >= Self.chunk { try flush() }
  }

  mutating func finish() throws(PostgresError) {
    buffer.append(Int16(-1))
    try flush()
  }

  private mutating func flush() throws(PostgresError) {
    try wire.putCopyData(buffer.bytes)
    buffer.removeAllBytes()
  }
}
