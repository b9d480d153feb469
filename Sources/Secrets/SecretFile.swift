internal import Glibc

/// A file with a secret of the operator, such as the login of a mail server: readable only by its owner, or a
/// systemd credential.
package struct SecretFile: Sendable, Equatable {
  /// The file's path.
  package let path: String
  private let isCredential: Bool

  /// Refers to a file, which may not exist.
  ///
  /// - Parameter environment: a file in its `CREDENTIALS_DIRECTORY` may be readable by its group, which systemd
  ///   uses for an access control list.
  package init(path: String, environment: [String: String]) {
    self.path = path
    let directory = environment["CREDENTIALS_DIRECTORY"] ?? ""
    isCredential = !directory.isEmpty && path.hasPrefix("\(directory)/")
  }

  /// Returns the lines of the file that are not empty.
  ///
  /// - Throws: `secretMissing` if the file cannot be opened, is not UTF-8 or has 16 KiB or more; `secretExposed` if
  ///   others than its owner can access it, or it belongs to another user than this one or root.
  package func lines() throws(SecretsError) -> [String] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      throw SecretsError(
        .secretMissing,
        "cannot read the secret file \(path)",
        hint: "check its path and owner"
      )
    }
    defer { close(descriptor) }
    var status = stat()
    let isOurs = fstat(descriptor, &status) == 0 && [geteuid(), 0].contains(status.st_uid)
    let forbidden: mode_t = isCredential ? 0o027 : 0o077
    guard isOurs, status.st_mode & S_IFMT == S_IFREG, status.st_mode & forbidden == 0 else {
      throw SecretsError(
        .secretExposed,
        "the secret file \(path) can be read by others than its owner",
        hint: "chmod 600 \(path)"
      )
    }
    var buffer = [UInt8](repeating: 0, count: 16_384)
    let count = read(descriptor, &buffer, buffer.count)
    guard count >= 0, count < buffer.count, let text = String(validating: buffer[..<count], as: UTF8.self)
    else {
      throw SecretsError(.secretMissing, "the secret file \(path) is not a short text")
    }
    return text.split(whereSeparator: \.isNewline).map(String.init)
  }
}
