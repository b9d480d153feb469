/// What people read of an app in the languages of the console: `words: { sv: { garden.plant: Planta } }`.
///
/// | key | text |
/// |---|---|
/// | `app` | title of the app |
/// | `app.type` | label of a type |
/// | `app.type#plural`, `app.type#new` | plural of its label, words of the button that makes a record |
/// | `app.type.column`, `app.type.column#hint` | a column, and what a form says below it |
/// | `app.type.column=value` | a value that a check constraint permits |
/// | `app.type=state`, `app.type!transition` | a state, a transition |
/// | `app.type?message` | the message of a guard |
/// | `report.name` | title of a report |
///
/// What has no words is called as in the manifest.
package struct ManifestWords: Sendable, Hashable {
  /// The texts by language and key.
  package let texts: [Language: [String: String]]

  /// The most characters of a text.
  static let longest = 500

  package init(texts: [Language: [String: String]] = [:]) { self.texts = texts }
}

extension ManifestWords: Codable {
  /// - Throws: `unknown_key` for an unknown language, `invalid_document` for an empty or too long text.
  package init(from decoder: any Decoder) throws {
    let object = try StrictObject(decoder, keys: Language.allCases.map(\.rawValue))
    var texts: [Language: [String: String]] = [:]
    for language in Language.allCases where object.has(language.rawValue) {
      let words = try object.value(language.rawValue, default: [String: String]())
      for (key, text) in words where !text.isVisible || text.count > Self.longest {
        throw object.invalid(
          language.rawValue,
          "the text of \(key) must have 1 to \(Self.longest) characters"
        )
      }
      texts[language] = words
    }
    self.texts = texts
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: NamedKey.self)
    for (language, words) in texts { try container.encode(words, forKey: NamedKey(language.rawValue)) }
  }
}

extension ManifestLint {
  /// Checks that the keys of `words` name something of the app.
  mutating func checkWords() {
    for (language, words) in manifest.words.texts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      for key in words.keys.sorted() where !isKnown(word: key) {
        let meant = Suggestion.closest(to: key, among: namedWords)
        report(
          .unknownWord,
          "words.\(language.rawValue)",
          "\(key) names nothing of \(manifest.app)",
          meant.map { "did you mean \($0)?" } ?? "see `words` in the reference"
        )
      }
    }
  }

  /// The keys that are known without the columns of tables.
  private var namedWords: [String] {
    ["app"] + manifest.reports.map { "report.\($0.name)" }
      + manifest.types.flatMap { type -> [String] in
        let workflow = type.workflow.flatMap(manifest.workflow)
        let named = ["", "#plural", "#new"] + type.creatable.map { ".\($0)" }
        return
          (named + (workflow?.states ?? []).map { "=\($0.name)" }
          + (workflow?.transitions ?? []).map { "!\($0.name)" } + manifest.messages.map { "?\($0.name)" })
          .map { type.name + $0 }
      }
  }

  private func isKnown(word key: String) -> Bool {
    if namedWords.contains(key) { return true }
    // A column, its hint or one of its values; without facts about relations any column may exist.
    return manifest.types.contains { type in
      guard key.hasPrefix("\(type.name).") else { return false }
      let rest = key.dropFirst(type.name.count + 1)
      let column = String(rest.prefix { $0 != "=" && $0 != "#" })
      let suffix = rest.dropFirst(column.count)
      guard suffix.isEmpty || suffix == "#hint" || suffix.hasPrefix("=") else { return false }
      guard let relations = context.relations else { return Identifier.isWord(column) }
      return relations[type.view]?.contains(column) == true || relations[type.table]?.contains(column) == true
    }
  }
}
