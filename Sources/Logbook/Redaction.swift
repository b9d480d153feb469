internal import Logging

/// Removes secrets from log lines: values whose names suggest a secret, and passwords in URLs and connection
/// strings. Callers must not log secrets; redaction is a second protection.
enum Redaction {
  static let mark = "[redacted]"

  private static let secretNames = [
    "password", "passwd", "secret", "token", "authorization", "cookie", "pepper", "api_key", "apikey",
    "private_key",
    "signature",
  ]

  static func isSecret(_ name: some StringProtocol) -> Bool {
    let name = name.lowercased().replacing("-", with: "_")
    return secretNames.contains { name.contains($0) }
  }

  static func value(_ value: Logger.MetadataValue, of name: String) -> Logger.MetadataValue {
    guard !isSecret(name) else { return .string(mark) }
    switch value {
    case .string(let text): return .string(Self.text(text))
    case .stringConvertible(let value): return .string(text(value.description))
    case .array(let values): return .array(values.map { Self.value($0, of: "") })
    case .dictionary(let members):
      return .dictionary(
        Dictionary(members.map { ($0.key, Self.value($0.value, of: $0.key)) }) { _, last in last }
      )
    }
  }

  /// Returns the text without the passwords in URLs (`://user:PASSWORD@`), the values after names such as
  /// `password=`, and bearer tokens.
  static func text(_ text: String) -> String {
    // Nearly all text can skip the regular expressions.
    guard text.contains("://") || text.contains("=") || text.contains("earer ") else { return text }
    var text = text.replacing(/(:\/\/[^\/\s:@]*):[^\/\s]*@/) { "\($0.1):\(mark)@" }
    text = text.replacing(assignment) { "\($0.1)\($0.2)\(mark)" }
    return text.replacing(/\b([Bb]earer )[A-Za-z0-9._~+\/=-]+/) { "\($0.1)\(mark)" }
  }

  /// Matches `name = value`, `name='value'` and `name="value"` if the name ends like a secret's.
  private static var assignment: Regex<(Substring, Substring, Substring, Substring)> {
    /\b([A-Za-z_-]*(?:password|passwd|secret|token|pepper|api_?key))(\s*=\s*)('[^']*'|"[^"]*"|[^\s&;,]+)/
      .ignoresCase()
  }
}
