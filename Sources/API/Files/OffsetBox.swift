internal import Synchronization

/// The position of a download, advanced piece by piece.
final class OffsetBox: Sendable {
  private static let piece = 1 << 20
  private let offset: Mutex<Int>

  init(_ offset: Int) { self.offset = Mutex(offset) }

  /// Returns the next piece before `end`, at most 1 MiB; nil at the end.
  func take(upTo end: Int) -> Range<Int>? {
    offset.withLock { offset in
      guard offset < end else { return nil }
      let start = offset
      offset = min(start + Self.piece, end)
      return start..<offset
    }
  }
}
