internal import Glibc

/// Collects text and writes it to a file descriptor in large blocks.
///
/// Writing throws `outputClosed` if the reader has closed the pipe, as in `fettle … | head`; the command then
/// ends without an error message. Other failures, such as a full disk, throw `outputFailed`.
package struct BufferedOutput: ~Copyable {
  private let descriptor: Int32
  private let capacity: Int
  private var buffer: [UInt8] = []

  /// Creates an output for a descriptor (1 is stdout), which is not closed.
  ///
  /// - Parameter capacity: the size in bytes at which the buffer is written.
  package init(descriptor: Int32 = 1, capacity: Int = 64 * 1024) {
    self.descriptor = descriptor
    self.capacity = capacity
    buffer.reserveCapacity(capacity)
  }

  /// Ignores SIGPIPE, so that a write to a closed pipe fails instead of killing the process. Call once at
  /// start.
  package static func ignoreBrokenPipes() {
    signal(SIGPIPE, SIG_IGN)
  }

  /// Writes text to stdout at once.
  package static func print(_ text: String) throws(TerminalError) {
    try writeAll(Array(text.utf8), to: 1)
  }

  /// Appends text as UTF-8, and writes the buffer when it is full.
  package mutating func write(_ text: String) throws(TerminalError) {
    buffer.append(contentsOf: text.utf8)
    if buffer.count >= capacity { try flush() }
  }

  /// Appends bytes, and writes the buffer when it is full.
  package mutating func write(_ bytes: [UInt8]) throws(TerminalError) {
    buffer.append(contentsOf: bytes)
    if buffer.count >= capacity { try flush() }
  }

  /// Writes and empties the buffer. Unwritten text is lost unless this is called at the end.
  package mutating func flush() throws(TerminalError) {
    defer { buffer.removeAll(keepingCapacity: true) }
    try Self.writeAll(buffer, to: descriptor)
  }

  static func writeAll(_ bytes: [UInt8], to descriptor: Int32) throws(TerminalError) {
    var done = 0
    while done < bytes.count {
      let written = bytes.withUnsafeBytes { all in
        Glibc.write(descriptor, all.baseAddress.map { $0 + done }, all.count - done)
      }
      if written > 0 {
        done += written
        continue
      }
      switch errno {
      case EINTR: continue
      case EAGAIN:
        // Another program may have left the terminal in non-blocking mode.
        var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&ready, 1, -1)
      case EPIPE: throw TerminalError(.outputClosed, "the output was closed by its reader")
      default:
        let reason = String(cString: strerror(errno))
        throw TerminalError(.outputFailed, "cannot write the output: \(reason)")
      }
    }
  }
}
