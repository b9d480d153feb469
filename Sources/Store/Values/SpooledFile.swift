internal import Domain
internal import FoundationEssentials
internal import Glibc

/// A file that can be read more than once: the named one, or a temporary copy of a stream.
package struct SpooledFile: Sendable {
  /// The maximum size of a stream in bytes, so that an endless one ends.
  static let limit = 4_000_000_000

  /// The path to read.
  package let path: String
  /// The copy, which has no name; nil for a file.
  private let descriptor: Int32?

  /// Copies standard input (`-`), a pipe, a socket or a terminal. Other paths stay as they are; a missing file
  /// is reported when it is read. Call ``close()`` at the end.
  ///
  /// - Throws: `invalid_input` if the stream cannot be read or copied, or is longer than ``limit``.
  package init(_ path: String) throws {
    var status = stat()
    let isStream: Bool
    if path == "-" {
      isStream = true
    } else {
      let kind = stat(path, &status) == 0 ? status.st_mode & S_IFMT : S_IFREG
      isStream = [S_IFIFO, S_IFSOCK, S_IFCHR].contains(kind)
    }
    guard isStream else {
      self.path = path
      descriptor = nil
      return
    }
    let folder = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
    var name = Array("\(folder)/fettle-import-XXXXXX".utf8CString)
    let copy = mkstemp(&name)
    guard copy >= 0 else {
      throw DomainError(
        .invalidInput,
        "cannot keep \(Self.name(path)) in \(Quoted(folder)): \(String(cString: strerror(errno)))",
        hint: "set TMPDIR to a folder that you may write to"
      )
    }
    unlink(&name)
    _ = fcntl(copy, F_SETFD, FD_CLOEXEC)
    do {
      var size = 0
      try FileChunks(path: path).forEach { chunk in
        size += chunk.count
        guard size <= Self.limit else {
          throw DomainError(
            .invalidInput,
            "\(Self.name(path)) is longer than \(Self.limit / 1_000_000) MB",
            hint: "write the data to a file, and import the file"
          )
        }
        try Self.write(chunk, to: copy)
      }
    } catch {
      _ = Glibc.close(copy)
      throw error
    }
    descriptor = copy
    self.path = "/proc/self/fd/\(copy)"
  }

  /// Removes the copy.
  package func close() {
    if let descriptor { _ = Glibc.close(descriptor) }
  }

  private static func name(_ path: String) -> String {
    path == "-" ? "standard input" : Quoted(path).description
  }

  private static func write(_ chunk: ArraySlice<UInt8>, to descriptor: Int32) throws {
    var rest = chunk
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 || errno == EINTR else {
        throw DomainError(
          .invalidInput,
          "the copy of the stream cannot be written: \(String(cString: strerror(errno)))",
          hint: "set TMPDIR to a folder with more room, or import a file"
        )
      }
      rest = rest.dropFirst(max(0, count))
    }
  }
}
