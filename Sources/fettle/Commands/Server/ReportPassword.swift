internal import Cluster
internal import Domain
internal import Glibc
internal import Postgres
internal import Secrets
internal import Terminal

/// The password of `fettle_report` in the embedded PostgreSQL, generated once and kept in a file.
struct ReportPassword {
  private let cluster: EmbeddedCluster
  private let path: String

  init(_ cluster: EmbeddedCluster, in home: String) {
    self.cluster = cluster
    path = Self.path(in: home)
  }

  /// Returns the path of the password file.
  static func path(in home: String) -> String { "\(home)/report.password" }

  /// Sets the password of `fettle_report` to that in the file. Creates the file with a random password if it
  /// is missing.
  ///
  /// - Throws: `invalid_input` for a password with characters that the statement cannot contain,
  ///   `unavailable` if the file cannot be written.
  func set() async throws {
    let password = try readOrCreate()
    guard password.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "'") }) else {
      throw DomainError(
        .invalidInput,
        "the password in \(path) contains a space, a single quote or a character that is not printable ASCII",
        hint: "remove the file, then run `fettle up` again to generate a new password"
      )
    }
    let parameters = cluster.connectionParameters(database: "fettle", user: "postgres")
    _ = try await Database(.init(parameters: parameters, poolSize: 1)).thenClose { database in
      // `alter role` takes no bound value. The password contains no quote, and a backslash is a plain
      // character in standard strings.
      try await database.execute("alter role fettle_report password '\(SQL(trusted: password))'")
    }
  }

  private func readOrCreate() throws -> String {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      guard errno == EEXIST else {
        throw DomainError(.unavailable, "cannot write \(path): \(String(cString: strerror(errno)))")
      }
      return try SecretSource.file(path).read()
    }
    defer { close(descriptor) }
    let password = Hex.encode(SecureRandom.bytes(16))
    let line = Array((password + "\n").utf8)
    guard write(descriptor, line, line.count) == line.count else {
      throw DomainError(.unavailable, "cannot write \(path): \(String(cString: strerror(errno)))")
    }
    return password
  }
}
