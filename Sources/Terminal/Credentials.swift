/// Hides credentials in messages, which may quote what somebody typed.
package enum Credentials {
  /// Returns the text without URLs of PostgreSQL and without passwords of connection strings.
  package static func hidden(in text: String) -> String {
    text
      .replacing(/postgres(?:ql)?:\/\/[^\s'"`]*/.ignoresCase(), with: "postgresql://…")
      .replacing(/password\s*=\s*(?:'(?:[^'\\]|\\.)*'|[^\s'"`]+)/.ignoresCase(), with: "password=…")
  }
}
