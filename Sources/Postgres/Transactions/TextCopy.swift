/// The text or CSV writer of ``Transaction/copy(into:columns:as:_:)``, valid inside the body of the copy.
///
/// Each write may end anywhere, also within a value. Text is buffered and sent in blocks of 64 KiB. The
/// server checks the format; its errors are thrown by the copy.
public struct TextCopy: ~Copyable {
  private let wire: Wire
  private var buffer: [UInt8] = []
  private static let chunk = 64 * 1024

  init(wire: Wire) {
    self.wire = wire
    buffer.reserveCapacity(Self.chunk + 4096)
  }

  /// Adds UTF-8 bytes in the format, with the line feeds that end rows.
  ///
  /// - Throws: ``PostgresError`` of kind ``PostgresError/Kind/cancelled`` if the task was cancelled, or of
  ///   kind ``PostgresError/Kind/connection``.
  public mutating func write(_ bytes: some Sequence<UInt8>) throws(PostgresError) {
    buffer.append(contentsOf: bytes)
    if buffer.count >= Self.chunk { try flush() }
  }

  /// Adds text in the format, with the line feeds that end rows.
  ///
  /// - Throws: the same errors as for bytes.
  public mutating func write(_ text: String) throws(PostgresError) {
    try write(text.utf8)
  }

  /// Sends the buffered bytes.
  mutating func flush() throws(PostgresError) {
    try wire.putCopyData(buffer)
    buffer.removeAll(keepingCapacity: true)
  }
}
