internal import Domain

/// A list as a person writes it in a cell: `a, b`, or with semicolons if it has no comma.
enum WrittenList {
  /// Returns the list in JSON; a text that is JSON already stays.
  static func json(_ text: String) -> String {
    let text = text.trimmingSpaces()
    if text.isEmpty || text.hasPrefix("[") { return text }
    let sign: Character = text.contains(",") ? "," : ";"
    let parts = text.split(separator: sign).map { String($0).trimmingSpaces() }.filter { !$0.isEmpty }
    return JSONValue.strings(parts).text
  }
}
