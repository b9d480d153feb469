internal import Glibc

/// A file with one secret of the installation, such as the client secret for an identity provider.
package enum SecretFile {
  /// The maximum number of bytes.
  package static let limit = 16_384

  /// Returns the text of a file without white space at its ends.
  ///
  /// - Throws: `secretMissing` if the file cannot be opened, is empty or too large; `secretExposed` unless it is
  ///   a regular file of this user or root that only its owner can access. A file in systemd's
  ///   `CREDENTIALS_DIRECTORY` may also be readable by its group.
  package static func read(_ path: String, credentials directory: String? = nil) throws(SecretsError)
    -> String
  {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      throw SecretsError(
        .secretMissing,
        "cannot open the secret file \(path): \(String(cString: strerror(errno)))",
        hint: "write the secret to a file of that name with mode 600"
      )
    }
    defer { close(descriptor) }
    var status = stat()
    let isOurs = fstat(descriptor, &status) == 0 && [geteuid(), 0].contains(status.st_uid)
    let isCredential = directory.map { !$0.isEmpty && path.hasPrefix($0 + "/") } ?? false
    let forbidden: mode_t = isCredential ? 0o027 : 0o077
    guard isOurs, status.st_mode & S_IFMT == S_IFREG, status.st_mode & forbidden == 0 else {
      throw SecretsError(
        .secretExposed,
        "the secret file \(path) can be accessed by others than its owner, or is of another user",
        hint: "chmod 600 \(path), and replace the secret if somebody may have read it"
      )
    }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while bytes.count <= limit {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count == 0 { break }
      if count > 0 {
        bytes += buffer[..<count]
      } else if errno != EINTR {
        break
      }
    }
    let blank: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
    let start = bytes.firstIndex { !blank.contains($0) } ?? bytes.endIndex
    let end = bytes.lastIndex { !blank.contains($0) }.map { $0 + 1 } ?? start
    guard start < end, bytes.count <= limit, let text = String(validating: bytes[start..<end], as: UTF8.self)
    else { throw SecretsError(.secretMissing, "the secret file \(path) is empty, too long or not UTF-8") }
    return text
  }
}
