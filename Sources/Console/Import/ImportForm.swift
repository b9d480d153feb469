internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Web

/// The form with what a person chooses for a file.
enum ImportForm {
  /// Returns what a form says.
  static func choices(_ form: FormBody) -> ImportChoices {
    var choices = ImportChoices()
    for (heading, column) in form.below("c.") { choices.columns[heading] = column }
    for (column, value) in form.below("set.") where !value.isEmpty { choices.fixed[column] = value }
    var meanings: [String: [String]] = [:]
    for (word, meaning) in form.below("word.") {
      guard let colon = word.firstIndex(of: ":"), !meaning.isEmpty else { continue }
      meanings[String(word[..<colon]), default: []].append("\(word[word.index(after: colon)...])=\(meaning)")
    }
    choices.values = meanings.sorted { $0.key < $1.key }.map {
      "\($0.key):\($0.value.joined(separator: ","))"
    }
    choices.emptyIfUnreadable = form.all("empty")
    choices.delimiter = form.text("delimiter")
    choices.encoding = form.text("encoding")
    choices.decimal = form.text("decimal")
    choices.thousands = form.text("thousands")
    choices.dates = form.text("dates")
    choices.headingLine = form.text("heading_line").flatMap { Int($0) }
    choices.lastLine = form.text("last_line").flatMap { Int($0) }
    choices.createsMissing = form["create_missing"] == "on"
    return choices
  }

  /// Returns the meanings of words as fields: the field and the word, and what it means.
  static func words(_ choices: ImportChoices) -> [(name: String, meaning: String)] {
    choices.values.flatMap { text -> [(name: String, meaning: String)] in
      guard let colon = text.firstIndex(of: ":") else { return [] }
      return text[text.index(after: colon)...].split(separator: ",").compactMap { part in
        guard let sign = part.firstIndex(of: "=") else { return nil }
        return ("\(text[..<colon]):\(part[..<sign])", String(part[part.index(after: sign)...]))
      }
    }
  }
}
