internal import Domain
internal import Glibc

/// A file that is read in chunks.
package struct FileChunks {
  private let path: String

  /// - Parameter path: `-` is standard input.
  package init(path: String) {
    self.path = path
  }

  /// Passes on the file in chunks of at most 256 KiB.
  ///
  /// - Throws: `not_found` if there is no such file, `invalid_import` if it cannot be read.
  package func forEach(_ body: (ArraySlice<UInt8>) throws -> Void) throws {
    let descriptor = path == "-" ? 0 : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      guard errno == ENOENT else {
        throw DomainError(
          .invalidImport,
          "\(Quoted(path)) cannot be read: \(String(cString: strerror(errno)))"
        )
      }
      throw DomainError(.notFound, "there is no file \(Quoted(path))", hint: "check the path")
    }
    defer { if descriptor != 0 { close(descriptor) } }
    var buffer = [UInt8](repeating: 0, count: 256 * 1024)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count == 0 { return }
      if count < 0 {
        if errno == EINTR { continue }
        throw DomainError(
          .invalidImport,
          "\(Quoted(path)) cannot be read: \(String(cString: strerror(errno)))"
        )
      }
      try body(buffer[..<count])
    }
  }

  /// Requires a file that can be read more than once, which a pipe cannot.
  ///
  /// - Throws: `invalid_import` for standard input and for pipes. A missing file is reported when it is read.
  package func requireSeekable() throws {
    var status = stat()
    guard path == "-" || stat(path, &status) == 0 else { return }
    let kind = status.st_mode & S_IFMT
    guard path == "-" || kind == S_IFIFO || kind == S_IFSOCK else { return }
    throw DomainError(
      .invalidImport,
      "an import reads its file twice, and \(path == "-" ? "standard input" : Quoted(path).description) is a stream",
      hint: "write it to a file first"
    )
  }
}
