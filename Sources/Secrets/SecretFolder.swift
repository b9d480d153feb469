internal import Glibc

/// Secrets of companies that are stored outside the database, such as the credentials for a utility. Each
/// secret is a file, `<folder>/<company>/<name>`, that only its owner can read. The database stores only
/// names.
///
/// Each company has a folder of its own, because a member who may name a secret may also choose where it is
/// sent. Further lines of a file restrict that: each is the beginning of an address, such as
/// `https://grid.example/`.
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

  /// Reads a company's secret for an address: the first line of its file that is not empty.
  ///
  /// - Throws: `secretMissing` if a name is not plain, or if the file cannot be opened, is empty, or has
  ///   4,096 bytes or more; `secretExposed` if the file is not a regular file of this user or root that only
  ///   its owner can access; `secretBound` if the file has further lines, and the address begins with none of them.
  ///   Messages contain no path, because members of the company may read them.
  package func read(
    _ name: String,
    company slug: String,
    for address: String
  ) throws(SecretsError) -> String {
    guard Self.isPlain(name), Self.isPlain(slug) else {
      throw SecretsError(
        .secretMissing,
        "the names of a secret and its company may contain only a-z, 0-9, - and _"
      )
    }
    let descriptor = open("\(path)/\(slug)/\(name)", O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
    guard descriptor >= 0 else {
      throw SecretsError(
        .secretMissing,
        "there is no secret \(name) for \(slug)",
        hint: "ask the operator to write it to a file of that name with mode 600"
      )
    }
    defer { close(descriptor) }
    var status = stat()
    let isOurs = fstat(descriptor, &status) == 0 && [geteuid(), 0].contains(status.st_uid)
    guard isOurs, status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 == 0 else {
      throw SecretsError(
        .secretExposed,
        "the secret \(name) of \(slug) can be read by others than its owner",
        hint: "ask the operator to give its file mode 600"
      )
    }
    var buffer = [UInt8](repeating: 0, count: 4_096)
    let count = Glibc.read(descriptor, &buffer, buffer.count)
    let text = String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    let lines = text.split(whereSeparator: \.isNewline).map(String.init)
    guard let secret = lines.first, count < buffer.count else {
      throw SecretsError(.secretMissing, "the secret \(name) of \(slug) is empty or too long")
    }
    guard lines.count == 1 || lines.dropFirst().contains(where: { Self.isPlace($0, of: address) }) else {
      throw SecretsError(
        .secretBound,
        "the secret \(name) of \(slug) may not be sent to this address",
        hint: "ask the operator to add the address to its file"
      )
    }
    return secret
  }

  /// True if an address is the place itself, or below it. Without a slash at its end, `https://grid.example` would
  /// also be the beginning of `https://grid.example.evil.example`.
  private static func isPlace(_ place: String, of address: String) -> Bool {
    address == place || address.hasPrefix(place.hasSuffix("/") ? place : place + "/")
  }

  /// True if the text has 1 to 64 bytes, all of them a-z, 0-9, `-` or `_`.
  private static func isPlain(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2D || byte == 0x5F
      }
  }
}
