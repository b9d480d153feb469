internal import Domain
internal import Web

/// Texts for values whose columns have no words of their own. People never see the JSON in which programs write them.
enum PlainText {
  /// Returns a value for people: an object by its name, or else as its members; several values after each other.
  static func text(_ value: JSONValue, _ words: Words) -> String {
    if value.isNull { return "" }
    if let bool = value.bool { return words(bool ? "value.yes" : "value.no") }
    if let items = value.array {
      return items.map { text($0, words) }.filter { !$0.isEmpty }.joined(separator: ", ")
    }
    guard let object = value.object else { return value.displayText }
    if let name = object["name"]?.string { return name }
    return object.members.filter { !$0.value.isNull }
      .map { "\(label($0.key, words)): \(text($0.value, words))" }.joined(separator: ", ")
  }

  /// Returns what a member of an object is called.
  static func label(_ name: String, _ words: Words) -> String {
    words.known("detail.\(name)") ?? words.known("*.\(name)") ?? TypeWords.readable(name)
  }
}
