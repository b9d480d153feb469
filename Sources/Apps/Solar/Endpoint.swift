package import Domain

/// Validates addresses of other servers and names of secrets before they are stored.
package enum Endpoint {
  /// Requires https, or http to this machine itself, where the network cannot be intercepted.
  ///
  /// - Throws: `invalid_input`.
  package static func require(_ url: String) throws(DomainError) {
    guard url.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw DomainError(
        .invalidInput,
        "\(Quoted(url)) has a space, a line break or another character that no address has",
        hint: "percent-encode it, or check what was pasted"
      )
    }
    let isSecure = url.hasPrefix("https://") && url.utf8.count > "https://".utf8.count
    let isLocal = ["http://127.0.0.1", "http://[::1]", "http://localhost"].contains { host in
      url.hasPrefix(host) && (url.dropFirst(host.count).first.map { ":/".contains($0) } ?? true)
    }
    guard isSecure || isLocal else {
      throw DomainError(
        .invalidInput,
        "\(Quoted(url)) is not an https address",
        hint: "readings go to others encrypted: write https://…"
      )
    }
    guard url.utf8.count <= 2_048, !url.dropFirst(8).prefix(while: { $0 != "/" }).contains("@") else {
      throw DomainError(
        .invalidInput,
        "the address holds a user or a password, or is too long",
        hint: "keep the secret in a file and name it by auth_ref"
      )
    }
  }

  /// Requires the name of a secret: a plain file name.
  ///
  /// - Throws: `invalid_name`.
  package static func require(secret name: String) throws(DomainError) {
    let isPlain = name.utf8.allSatisfy { byte in
      (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2D || byte == 0x5F
    }
    guard isPlain, (1...64).contains(name.utf8.count) else {
      throw DomainError(
        .invalidName,
        "\(Quoted(name)) is no name of a secret",
        hint: "use a-z, 0-9, - and _: it names a file, and is never the secret itself"
      )
    }
  }
}
