internal import Logging

/// Removes secrets from log lines: values whose names suggest a secret, and passwords in URLs and connection
/// strings. Callers must not log secrets; redaction is a second protection.
package enum Redaction {
  /// The text in the place of a secret.
  package static let mark = "[redacted]"

  private static let secretNames: [[UInt8]] = [
    "password", "passwd", "secret", "token", "authorization", "cookie", "pepper", "api_key", "apikey",
    "private_key",
    "signature",
  ].map { Array($0.utf8) }

  /// True if the name of a value suggests a secret.
  package static func isSecret(_ name: some StringProtocol) -> Bool {
    // By bytes: every request has a log line, and a search by characters takes longer than the rest of the line.
    let name = name.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
      case UInt8(ascii: "-"): UInt8(ascii: "_")
      default: byte
      }
    }
    return secretNames.contains { contains($0, in: name) }
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
  package static func text(_ text: String) -> String {
    // Nearly all text can skip the regular expressions.
    let bytes = Array(text.utf8)
    guard bytes.contains(UInt8(ascii: "=")) || contains(scheme, in: bytes) || contains(bearer, in: bytes)
    else {
      return text
    }
    var text = text.replacing(/(:\/\/[^\/\s:@]*):[^\/\s]*@/) { "\($0.1):\(mark)@" }
    text = text.replacing(assignment) { "\($0.1)\($0.2)\(mark)" }
    return text.replacing(/\b([Bb]earer )[A-Za-z0-9._~+\/=-]+/) { "\($0.1)\(mark)" }
  }

  private static let scheme = Array("://".utf8)
  private static let bearer = Array("earer ".utf8)

  private static func contains(_ part: [UInt8], in text: [UInt8]) -> Bool {
    guard text.count >= part.count else { return false }
    return (0...text.count - part.count).contains { start in
      text[start..<start + part.count].elementsEqual(part)
    }
  }

  /// Matches `name = value`, `name='value'` and `name="value"` if the name ends like a secret's.
  private static var assignment: Regex<(Substring, Substring, Substring, Substring)> {
    /\b([A-Za-z_-]*(?:password|passwd|secret|token|pepper|api_?key))(\s*=\s*)('[^']*'|"[^"]*"|[^\s&;,]+)/
      .ignoresCase()
  }
}
