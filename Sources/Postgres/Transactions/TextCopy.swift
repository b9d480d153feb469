/// The text or CSV writer of ``Transaction/copy(into:columns:as:_:)``; chunks may end anywhere.
///
/// Text is buffered and sent in blocks of 64 KiB. PostgreSQL checks it; errors are thrown by the copy.
public struct TextCopy: ~Copyable {
  private let wire: Wire
  private var buffer: [UInt8] = []
  private static let chunk = 64 * 1024

  init(wire: Wire) {
    self.wire = wire
    buffer.reserveCapacity(Self.chunk + 4096)
  }

  /// Adds UTF-8 bytes in the format.
  public mutating func write(_ bytes: some Sequence<UInt8>) throws(PostgresError) {
    buffer.append(contentsOf: bytes)
    if buffer.count >= Self.chunk { try flush() }
  }

  /// Adds text in the format.
  public mutating func write(_ text: String) throws(PostgresError) {
    try write(text.utf8)
  }

  mutating func flush() throws(PostgresError) {
    try wire.putCopyData(buffer)
    buffer.removeAll(keepingCapacity: true)
  }
}
