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
    for (name, meaning) in form.below("word.") {
      guard let colon = name.firstIndex(of: ":"), !meaning.isEmpty else { continue }
      let word = String(name[name.index(after: colon)...])
      choices.values.append(WordMeaning(field: String(name[..<colon]), word: word, meaning: meaning))
    }
    choices.emptyIfUnreadable = form.all("empty")
    choices.delimiter = form.text("delimiter")
    choices.encoding = form.text("encoding")
    choices.decimal = form.text("decimal")
    choices.thousands = form.text("thousands")
    choices.dates = form.text("dates")
    choices.headingLine = form.text("heading_line")
    choices.lastLine = form.text("last_line")
    choices.createsMissing = form["create_missing"] == "on"
    return choices
  }

  /// Returns the meanings of words as fields: the field and the word, and what it means.
  static func words(_ choices: ImportChoices) -> [(name: String, meaning: String)] {
    choices.values.map { (name: "\($0.field):\($0.word)", meaning: $0.meaning) }
  }
}
