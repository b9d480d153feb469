internal import Glibc

/// Secrets of companies that are stored outside the database, such as the credentials for a utility: one file
/// per secret, `<folder>/<company>/<name>`, readable by its owner only. The database stores names only.
///
/// Each company has its own folder, because a member who may name a secret may also choose its destination.
package struct SecretFolder: Sendable, Equatable {
  /// The folder's path.
  package let path: String

  /// Refers to a folder, which may not exist.
  package init(path: String) {
    self.path = path
  }

  /// Returns the folder to use: `FETTLE_SECRETS`, else the default path.
  package static func locate(environment: [String: String], default path: String) -> SecretFolder {
    if let named = environment["FETTLE_SECRETS"], !named.isEmpty { return SecretFolder(path: named) }
    return SecretFolder(path: path)
  }

  /// Reads a company's secret, without the trailing line feed of an editor.
  ///
  /// - Throws: `secretMissing`, or `secretExposed` if others than the owner can read it. Messages contain no
  ///   path, since members of the company may read them.
  package func read(_ name: String, company slug: String) throws(SecretsError) -> String {
    guard Self.isPlain(name), Self.isPlain(slug) else {
      throw SecretsError(.secretMissing, "a secret has a plain name of a-z, 0-9, - and _")
    }
    let descriptor = open("\(path)/\(slug)/\(name)", O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
    guard descriptor >= 0 else {
      throw SecretsError(
        .secretMissing,
        "there is no secret \(name) for \(slug)",
        hint: "the operator puts it into a file of that name, mode 600"
      )
    }
    defer { close(descriptor) }
    var status = stat()
    let isOurs = fstat(descriptor, &status) == 0 && [geteuid(), 0].contains(status.st_uid)
    guard isOurs, status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 == 0 else {
      throw SecretsError(
        .secretExposed,
        "the secret \(name) of \(slug) can be read by others than its owner",
        hint: "the operator gives its file mode 600"
      )
    }
    var buffer = [UInt8](repeating: 0, count: 4_096)
    let count = Glibc.read(descriptor, &buffer, buffer.count)
    let text = String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    let secret = text.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
    guard !secret.isEmpty, count < buffer.count else {
      throw SecretsError(.secretMissing, "the secret \(name) of \(slug) is empty or too long")
    }
    return secret
  }

  /// True if the text is a plain file name.
  private static func isPlain(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2D || byte == 0x5F
      }
  }
}
