package import ArgumentParser
package import Domain

/// A record type on the command line: its noun, fields, workflow and hand-written verbs.
package struct Noun: Sendable {
  package let type: RecordTypeDefinition
  package let words: CommandNoun
  package let workflow: WorkflowDefinition?
  /// Additional verbs. A verb with the name of a generic one replaces it.
  package let verbs: [any ParsableCommand.Type]

  /// Creates the noun of a type; nil if the type has none.
  package init?(
    _ type: RecordTypeDefinition,
    workflow: WorkflowDefinition?,
    verbs: [any ParsableCommand.Type] = []
  ) {
    guard let words = type.command else { return nil }
    self.type = type
    self.words = words
    self.workflow = workflow
    self.verbs = verbs
  }

  /// The noun itself.
  package var name: String { words.name }

  /// The label in a sentence, such as `tree`.
  var one: String { type.label.lowercased() }
  /// The plural in a sentence, such as `trees`.
  var many: String { type.plural.lowercased() }
  /// The label with its article, such as `a tree`.
  var some: String { "\("aeiou".contains(one.first ?? "x") ? "an" : "a") \(one)" }

  /// The transitions that people may perform.
  var transitions: [String] { workflow?.transitions.filter { $0.by == .person }.map(\.name) ?? [] }
  /// The names of the workflow's states.
  var states: [String] { workflow?.states.map(\.name) ?? [] }

  /// An example record for the help: from the manifest, or else the first number of the type or `01a1…`.
  var example: String {
    if let example = words.examples["show"] { return example }
    guard let number = type.number else { return "01a1…" }
    return number.format.number(number.start)
  }

  /// What an example of `add` gives if the manifest has none: the positional arguments, and what the record refers to.
  var usualAddition: String {
    let columns = type.references.filter {
      type.creatable.contains($0.column) && $0.target != "core.attachment"
    }
    let references = fields(of: columns.map(\.column)).map { field in
      "--\(field.flag) \(field.target == "core.membership" ? "ana" : "01a1…")"
    }
    return (words.arguments.map { "'\($0)'" } + references).joined(separator: " ")
  }

  /// Returns an example command line for the help of a verb, at most 78 characters if the arguments allow it.
  ///
  /// - Parameter usual: the arguments if the manifest has none for the verb.
  func example(of verb: String, _ usual: String) -> String {
    let arguments = words.examples[verb] ?? usual
    let line = ["fettle", name, verb, arguments].filter { !$0.isEmpty }.joined(separator: " ")
    return line + (line.count > 60 ? " -c acme" : " --company acme")
  }

  /// Returns the fields of a verb as flags or arguments. A field whose flag is taken is left to `--set`.
  func fields(of columns: [String], positional: [String] = []) -> [NounField] {
    var taken = CommandNoun.reserved
    let flags = columns.filter { !positional.contains($0) }
    return positional.map { field($0, flag: $0, isPositional: true) }
      + flags.compactMap { column in
        let isReference = type.references.contains { $0.column == column }
        let flag = words.flag(of: column, isReference: isReference)
        return taken.insert(flag).inserted ? field(column, flag: flag, isPositional: false) : nil
      }
  }

  private func field(_ column: String, flag: String, isPositional: Bool) -> NounField {
    let target = type.references.first { $0.column == column }?.target
    return NounField(column: column, flag: flag, target: target, isPositional: isPositional)
  }

  /// The filter flags of a list: those in the manifest, and the references to records and members.
  var filters: [NounField] {
    let references = type.references.filter {
      type.creatable.contains($0.column) && $0.target != "core.attachment"
    }
    var taken: Set<String> = []
    let named = words.filters.map { field($0.column, flag: $0.name, isPositional: false) }
    return (named + fields(of: references.map(\.column))).filter {
      !CommandNoun.reserved.contains($0.flag) && taken.insert($0.flag).inserted
    }
  }
}

/// A field that a verb of a noun accepts.
package struct NounField: Sendable, Hashable {
  /// The column.
  let column: String
  /// The flag, without dashes.
  let flag: String
  /// The type that the column refers to; nil for a value.
  let target: String?
  /// True if the field is given without a flag.
  let isPositional: Bool

  /// The column in words, with the accepted form of a reference: `machine (key or id)`.
  var words: String {
    let bare = target != nil && column.hasSuffix("_id") ? String(column.dropLast(3)) : column
    let text = bare.split(separator: "_").joined(separator: " ")
    return switch target {
    case nil: text
    case "core.membership": "\(text) (member)"
    case "core.attachment": "\(text) (id of a file)"
    default: "\(text) (key or id)"
    }
  }
}
