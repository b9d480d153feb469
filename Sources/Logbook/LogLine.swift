internal import FoundationEssentials
internal import Logging

/// One line of the log.
struct LogLine: Sendable {
  let at: Date
  let level: Logger.Level
  let logger: String
  var message: String
  var metadata: Logger.Metadata

  /// Returns the line with secrets redacted, without a line feed at its end.
  func rendered(as format: LogFormat) -> String {
    switch format {
    case .text: text
    case .json: json
    }
  }

  private var time: String { at.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)) }

  private var text: String {
    var text = "\(time) \(level) \(logger): \(Self.printable(Redaction.text(message)))"
    for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
      let value = Redaction.value(value, of: key)
      let shown: String
      if case .string(let plain) = value, !plain.isEmpty, plain.utf8.allSatisfy(Self.isPlain) {
        shown = plain
      } else if case .string(let plain) = value {
        shown = Self.quoted(plain)
      } else {
        shown = Self.json(value)
      }
      text += " \(Self.printable(key))=\(shown)"
    }
    return text
  }

  private var json: String {
    var fields = [
      #""ts":"\#(time)""#, #""level":"\#(level)""#, #""logger":\#(Self.quoted(logger))"#,
      #""message":\#(Self.quoted(Redaction.text(message)))"#,
    ]
    if !metadata.isEmpty {
      let members = metadata.sorted { $0.key < $1.key }.map { key, value in
        "\(Self.quoted(key)):\(Self.json(Redaction.value(value, of: key)))"
      }
      fields.append(#""metadata":{\#(members.joined(separator: ","))}"#)
    }
    return "{\(fields.joined(separator: ","))}"
  }

  private static func json(_ value: Logger.MetadataValue) -> String {
    switch value {
    case .string(let text): quoted(text)
    case .stringConvertible(let value): quoted(value.description)
    case .array(let values): "[\(values.map(json).joined(separator: ","))]"
    case .dictionary(let members):
      "{"
        + members.sorted { $0.key < $1.key }.map { "\(quoted($0.key)):\(json($0.value))" }.joined(
          separator: ","
        )
        + "}"
    }
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
      && byte != UInt8(ascii: "=")
  }

  /// Returns the text as a JSON string on one line.
  private static func quoted(_ text: String) -> String { "\"\(escaped(text, quotes: true))\"" }

  /// Returns the text with control characters escaped, which could start another line or control the
  /// terminal.
  private static func printable(_ text: String) -> String { escaped(text, quotes: false) }

  private static func escaped(_ text: String, quotes: Bool) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"" where quotes: escaped += "\\\""
      case "\\" where quotes: escaped += "\\\\"
      case "\n": escaped += "\\n"
      case "\t": escaped += "\\t"
      case "\r": escaped += "\\r"
      case _ where scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value):
        let digits = String(scalar.value, radix: 16)
        escaped += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
