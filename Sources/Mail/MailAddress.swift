package import Domain

/// An address in a header, with the name of its owner.
package struct MailAddress: Sendable, Hashable {
  /// The address in ASCII, such as `ana@example.com` or `ana@xn--mller-kva.example`.
  package let address: String
  /// The key of the account with this address.
  package let key: String
  /// The name; empty for none.
  package let name: String

  /// - Throws: ``MailError`` for an address with letters outside ASCII before the `@`, which few servers accept, and for
  ///   a name with a control character.
  package init(_ address: EmailAddress, name: String = "") throws(MailError) {
    guard address.mailbox.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw MailError("the address has letters outside ASCII before the @")
    }
    try HeaderText.check(name)
    self.address = address.mailbox
    key = address.key
    self.name = name
  }

  /// Parses `ana@example.com` or `Ana Berg <ana@example.com>`.
  ///
  /// - Throws: `invalid_email`, or `invalid_name` for a name that is not one visible line.
  package init(parsing text: String) throws(DomainError) {
    let text = text.trimmingSpaces()
    var (name, address) = ("", text)
    if text.hasSuffix(">"), let open = text.lastIndex(of: "<") {
      name = String(text[..<open]).trimmingSpaces()
      if name.count >= 2, name.hasPrefix("\""), name.hasSuffix("\"") {
        name = String(name.dropFirst().dropLast())
      }
      address = String(text[text.index(after: open)...].dropLast())
      if !name.isEmpty { name = try DisplayName(parsing: name).text }
    }
    let parsed = try EmailAddress(parsing: address)
    do {
      try self.init(parsed, name: name)
    } catch {
      throw DomainError(.invalidEmail, error.message)
    }
  }

  /// The host of the address.
  package var host: String { String(address.drop { $0 != "@" }.dropFirst()) }

  /// The address as a header field has it: `Ana Berg <ana@example.com>`.
  var headerText: String {
    if name.isEmpty { return address }
    return "\(HeaderText.phrase(name)) <\(address)>"
  }
}
