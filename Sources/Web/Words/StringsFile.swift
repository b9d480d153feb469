/// A file of words in the format of Apple's `.strings`: `"key" = "text";`, with comments between `/*` and `*/`.
package struct StringsFile: Sendable {
  /// The texts by key.
  package let texts: [String: String]

  /// - Throws: ``Fault`` with the line for anything else, and for a repeated key.
  package init(parsing text: String) throws {
    var texts: [String: String] = [:]
    var isComment = false
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let line = line.drop { $0 == " " }
      if isComment || line.hasPrefix("/*") {
        isComment = !line.contains("*/")
        continue
      }
      if line.isEmpty { continue }
      var rest = line[...]
      guard let key = Self.quoted(&rest), Self.take(" = ", &rest), let value = Self.quoted(&rest),
        rest == ";",
        texts.updateValue(value, forKey: key) == nil
      else { throw Fault(line: index + 1, text: String(line)) }
    }
    self.texts = texts
  }

  /// A line that is none.
  package struct Fault: Error, Sendable {
    package let line: Int
    package let text: String
  }

  private static func take(_ mark: String, _ rest: inout Substring) -> Bool {
    guard rest.hasPrefix(mark) else { return false }
    rest = rest.dropFirst(mark.count)
    return true
  }

  private static func quoted(_ rest: inout Substring) -> String? {
    guard take("\"", &rest) else { return nil }
    var text = ""
    while let character = rest.popFirst() {
      switch character {
      case "\"": return text
      case "\\":
        guard let escaped = rest.popFirst() else { return nil }
        text.append(escaped == "n" ? "\n" : escaped)
      default: text.append(character)
      }
    }
    return nil
  }
}
