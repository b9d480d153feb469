/// The row writer of ``Transaction/copy(into:columns:_:)``, valid inside the body of the copy.
///
/// ```swift
/// try tx.copy(into: Identifier("library", "book"), columns: ["id", "title"]) { copy in
///   for book in books { try copy.row(book.id, book.title) }
/// }
/// ```
///
/// Rows are buffered and sent in blocks of 64 KiB, so any number of rows may be written.
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

  /// Adds a row: one value per column, in the order of the columns. Null is an optional without a value.
  ///
  /// Rethrow an error: the copy cannot succeed after it.
  ///
  /// - Throws: ``PostgresError`` of kind ``PostgresError/Kind/usage`` if the number of values differs from
  ///   the number of columns that the copy names, of kind ``PostgresError/Kind/cancelled`` if the task was
  ///   cancelled, or of kind ``PostgresError/Kind/connection``. Errors of the server are thrown by the copy
  ///   itself.
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

  /// Adds the end marker and sends the rest.
  mutating func finish() throws(PostgresError) {
    buffer.append(Int16(-1))
    try flush()
  }

  /// Sends the buffered bytes.
  private mutating func flush() throws(PostgresError) {
    try wire.putCopyData(buffer.bytes)
    buffer.removeAllBytes()
  }
}
