package import Domain
internal import Glibc

/// A file or standard input, read in chunks.
package struct FileChunks {
  private let path: String

  /// - Parameter path: the file's path; `-` for standard input.
  package init(path: String) {
    self.path = path
  }

  /// Passes the file to `body` in chunks of at most 256 KiB.
  ///
  /// - Throws: `not_found` if there is no such file, `invalid_input` if it cannot be read.
  package func forEach(_ body: (ArraySlice<UInt8>) throws -> Void) throws {
    let descriptor = path == "-" ? 0 : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      guard errno == ENOENT else {
        throw unreadable(errno)
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
        throw unreadable(errno)
      }
      try body(buffer[..<count])
    }
  }

  private func unreadable(_ code: Int32) -> DomainError {
    DomainError(
      .invalidInput,
      "\(Quoted(path)) cannot be read: \(String(cString: strerror(code)))",
      hint: code == EISDIR ? "name a file of the folder" : "check the rights of the file"
    )
  }

  /// Returns the bytes of the file. Stops reading at the limit, so that an endless stream ends too.
  ///
  /// - Parameter document: the name of the file in messages.
  /// - Throws: `invalid_document` for a larger file, and the errors of ``forEach(_:)``.
  package func bytes(limits: DocumentLimits, document: String) throws -> [UInt8] {
    var bytes: [UInt8] = []
    try forEach { chunk in
      try limits.require(bytes: bytes.count + chunk.count, of: document)
      bytes += chunk
    }
    return bytes
  }

  /// Returns the text of the file.
  ///
  /// - Throws: `invalid_document` for a file that is larger or not UTF-8, and the errors of ``forEach(_:)``.
  package func text(limits: DocumentLimits, document: String) throws -> String {
    guard let text = String(validating: try bytes(limits: limits, document: document), as: UTF8.self) else {
      throw DomainError(.invalidDocument, "\(Quoted(document)) is not UTF-8")
    }
    return text
  }
}
