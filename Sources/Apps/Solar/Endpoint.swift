package import Domain

/// Validates addresses of other servers and names of secrets before they are stored.
package enum Endpoint {
  /// Requires an HTTPS address, or an HTTP address of this machine, since such traffic cannot be intercepted.
  ///
  /// - Throws: `invalid_input` for any other address, and for one with a user or password, more than 2,048
  ///   bytes, or a character that is not printable ASCII.
  package static func require(_ url: String) throws(DomainError) {
    guard url.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw DomainError(
        .invalidInput,
        "\(Quoted(url)) has a space, a line break or another invalid character",
        hint: "percent-encode the character, or remove it"
      )
    }
    let isSecure = url.hasPrefix("https://") && url.utf8.count > "https://".utf8.count
    let isLocal = url.hasPrefix("http://") && LocalHost.isNamed(inURL: url)
    guard isSecure || isLocal else {
      throw DomainError(
        .invalidInput,
        "\(Quoted(url)) is not an https address",
        hint: "write an address that begins with https://"
      )
    }
    guard url.utf8.count <= 2_048, !url.dropFirst(8).prefix(while: { $0 != "/" }).contains("@") else {
      throw DomainError(
        .invalidInput,
        "the address has a user or password, or more than 2048 bytes",
        hint: "write the secret to a file, and name the file in auth_ref"
      )
    }
  }

  /// Requires the name of a secret: a file name of 1 to 64 characters, a-z, 0-9, `-` and `_`.
  ///
  /// - Throws: `invalid_name` for any other name.
  package static func require(secret name: String) throws(DomainError) {
    let isPlain = name.utf8.allSatisfy { byte in
      (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2D || byte == 0x5F
    }
    guard isPlain, (1...64).contains(name.utf8.count) else {
      throw DomainError(
        .invalidName,
        "\(Quoted(name)) is not the name of a secret",
        hint: "give the name of a file (a-z, 0-9, - and _), not the secret itself"
      )
    }
  }
}
