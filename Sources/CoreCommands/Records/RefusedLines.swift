internal import Domain
package import Engine
internal import Glibc
internal import Terminal

/// Writes the file of refused lines for `--skip-bad`.
package enum RefusedLines {
  /// Checks before an import that its refused lines can be written.
  ///
  /// - Throws: `invalid_input` if the file cannot be written, or is the imported file.
  package static func prepare(_ path: String, besides imported: String) throws {
    let descriptor = try open(path, O_CREAT)
    defer { close(descriptor) }
    var (one, other) = (stat(), stat())
    guard fstat(descriptor, &one) == 0, stat(imported, &other) == 0 else { return }
    guard one.st_dev != other.st_dev || one.st_ino != other.st_ino else {
      throw DomainError(
        .invalidInput,
        "--skip-bad \(Quoted(path)) is the imported file itself",
        hint: "name another file"
      )
    }
  }

  /// Writes the file, with only its heading if no line was refused.
  ///
  /// - Throws: `invalid_input` if the file cannot be written.
  package static func write(_ file: RefusedFile, to path: String) throws {
    let descriptor = try open(path, O_CREAT | O_TRUNC)
    defer { close(descriptor) }
    var out = BufferedOutput(descriptor: descriptor)
    try file.write { try out.write($0) }
    try out.flush()
  }

  private static func open(_ path: String, _ flags: Int32) throws -> Int32 {
    // The lines may hold personal data. A link could lead to a file that must not be overwritten.
    let descriptor = Glibc.open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | flags, 0o600)
    guard descriptor >= 0 else {
      throw DomainError(
        .invalidInput,
        "cannot write \(Quoted(path)): \(String(cString: strerror(errno)))",
        hint: "name a file in a folder that you may write to"
      )
    }
    return descriptor
  }
}
