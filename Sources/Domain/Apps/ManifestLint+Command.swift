extension ManifestLint {
  /// Checks a type's noun: its name, its flags, the columns that it names, and the verbs of its examples.
  mutating func checkCommand(of type: RecordTypeDefinition, at path: String) {
    guard let noun = type.command else { return }
    let path = "\(path).command"
    checkName(of: noun, type: type, at: path)
    checkFlags(of: noun, at: path)
    for column in noun.columns { look(up: column, in: type.view, at: "\(path).columns") }
    for filter in noun.filters {
      look(up: filter.column, in: type.view, at: "\(path).filters.\(filter.name)")
    }
    checkOrder(of: noun, type: type, at: path)
    for column in noun.arguments { checkField(column, of: type, at: "\(path).arguments") }
    for flag in noun.flags { checkField(flag.column, of: type, at: "\(path).flags.\(flag.name)") }
    for verb in noun.examples.keys.sorted() where !CommandNoun.verbs.contains(verb) {
      let meant = Suggestion.closest(to: verb, among: CommandNoun.verbs)
      report(
        .invalidNoun,
        "\(path).examples.\(verb)",
        "\(Quoted(verb)) is not a verb of nouns",
        meant.map { "did you mean \($0)?" } ?? "Name one of \(CommandNoun.verbs.joined(separator: ", "))."
      )
    }
  }

  private mutating func checkName(of noun: CommandNoun, type: RecordTypeDefinition, at path: String) {
    guard CommandNoun.isWord(noun.name) else {
      return report(
        .invalidNoun,
        path,
        "\(Quoted(noun.name)) cannot be a command",
        "write a word such as tree: a-z, 0-9 and - after a letter, 40 characters at most"
      )
    }
    if CommandNoun.builtIn.contains(noun.name) || context.commands.contains(noun.name) {
      return report(
        .nounTaken,
        path,
        "`fettle \(noun.name)` is a built-in command",
        "choose another noun"
      )
    }
    let own = manifest.types.first { $0.name != type.name && $0.command?.name == noun.name }?.name
    guard let owner = own ?? context.otherNouns[noun.name] else { return }
    report(.nounTaken, path, "the noun \(noun.name) belongs to \(owner)", "choose another noun")
  }

  private mutating func checkFlags(of noun: CommandNoun, at path: String) {
    for (group, flags) in [("flags", noun.flags), ("filters", noun.filters)] {
      for flag in flags {
        let place = "\(path).\(group).\(flag.name)"
        if !CommandNoun.isWord(flag.name) {
          report(
            .invalidNoun,
            place,
            "\(Quoted(flag.name)) is not a flag",
            "write a word such as planted-on: a-z, 0-9 and - after a letter"
          )
        } else if CommandNoun.reserved.contains(flag.name) {
          report(
            .nounTaken,
            place,
            "--\(flag.name) is already a flag of every noun",
            "choose another flag for \(flag.column)"
          )
        }
      }
    }
  }

  private mutating func checkOrder(of noun: CommandNoun, type: RecordTypeDefinition, at path: String) {
    let sortable = type.sort + ["created_at"] + (type.number == nil ? [] : ["number"])
    for word in (noun.sort ?? "").split(separator: ",") {
      let column = String(word.trimmingPrefix { $0 == " " || $0 == "-" })
      guard !sortable.contains(column) else { continue }
      let meant = Suggestion.closest(to: column, among: sortable)
      report(
        .invalidNoun,
        "\(path).sort",
        "\(column) is not a sort column of the type",
        meant.map { "did you mean \($0)?" } ?? "list it under sort, or name a column that is listed"
      )
    }
  }

  private mutating func checkField(_ column: String, of type: RecordTypeDefinition, at path: String) {
    guard !type.creatable.contains(column) else { return }
    let meant = Suggestion.closest(to: column, among: type.creatable)
    report(
      .notEditable,
      path,
      "\(column) is neither editable nor fixed",
      meant.map { "did you mean \($0)?" } ?? "name an editable or fixed column"
    )
  }
}
