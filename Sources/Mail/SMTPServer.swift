package import Domain

/// The address of a mail server: `smtp://host[:port][/name]`, encrypted by STARTTLS unless the host is loopback,
/// or `smtps://host[:port][/name]`.
package struct SMTPServer: Sendable, Hashable {
  /// The URL without credentials.
  let url: String
  /// The host, in lower case.
  let host: String
  /// False for plain text, which only a loopback address gets.
  var requiresTLS: Bool

  /// Parses the URL. The default ports are 587 for `smtp` (25 on loopback) and 465 for `smtps`. The name after the
  /// slash introduces this machine to the server; the default is the name of the host.
  ///
  /// - Throws: `invalid_input`, also for a URL with credentials, which every process on the machine can read.
  package init(parsing text: String) throws(DomainError) {
    let hint = "write it like smtps://mail.example.com or smtp://mail.example.com:587"
    let scheme = text.prefix { $0 != ":" }.lowercased()
    guard text.dropFirst(scheme.count).hasPrefix("://") else {
      throw DomainError(.invalidInput, "the mail server is not a URL", hint: hint)
    }
    guard ["smtp", "smtps"].contains(scheme) else {
      throw DomainError(.invalidInput, "the mail server's URL is neither smtp nor smtps", hint: hint)
    }
    let rest = text.dropFirst(scheme.count + 3)
    guard !rest.contains("@") else {
      throw DomainError(
        .invalidInput,
        "the mail server's URL contains credentials, which every process on this machine can read",
        hint: "put user and password on two lines of a file with mode 600 "
          + "and name it with --mail-secret-file"
      )
    }
    guard rest.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
      !rest.contains(where: { "?#\\\"%".contains($0) })
    else { throw DomainError(.invalidInput, "the mail server's URL has unexpected characters", hint: hint) }
    let slash = rest.firstIndex(of: "/") ?? rest.endIndex
    guard let (host, port) = Self.authority(rest[..<slash]) else {
      throw DomainError(.invalidInput, "the mail server's URL has no valid host and port", hint: hint)
    }
    let name = rest[slash...].dropFirst()
    guard name.allSatisfy({ $0.isLetter || $0.isNumber || "-.[]:".contains($0) }) else {
      throw DomainError(.invalidInput, "the name in the mail server's URL is not a host name", hint: hint)
    }
    self.host = host
    // The connection checks the address again.
    let isLocal = LocalHost.isNamed(by: host)
    requiresTLS = scheme == "smtps" || !isLocal
    let usual = scheme == "smtps" ? 465 : isLocal ? 25 : 587
    url = "\(scheme)://\(host):\(port ?? usual)" + (name.isEmpty ? "" : "/\(name)")
  }

  private static func authority(_ text: Substring) -> (host: String, port: Int?)? {
    var (host, port) = (text, Substring())
    if text.hasPrefix("[") {
      guard let end = text.firstIndex(of: "]") else { return nil }
      host = text[...end]
      port = text[text.index(after: end)...]
      guard host.dropFirst().dropLast().allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." }) else {
        return nil
      }
    } else if let colon = text.firstIndex(of: ":") {
      host = text[..<colon]
      port = text[colon...]
    }
    guard !host.isEmpty,
      host.hasPrefix("[") || host.allSatisfy({ $0.isLetter || $0.isNumber || "-._".contains($0) })
    else { return nil }
    if port.isEmpty { return (host.lowercased(), nil) }
    guard port.hasPrefix(":"), let number = UInt16(port.dropFirst()), number > 0 else { return nil }
    return (host.lowercased(), Int(number))
  }
}
