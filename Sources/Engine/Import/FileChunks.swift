internal import Domain
internal import Glibc

/// A file read a piece at a time.
package struct FileChunks {
  private let path: String

  /// The file at a path; `-` is standard input.
  package init(path: String) {
    self.path = path
  }

  /// Hands on the file in pieces of at most 256 KiB; `-` is standard input.
  ///
  /// - Throws: `not_found` when there is no such file, `invalid_import` when it cannot be read.
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
}
