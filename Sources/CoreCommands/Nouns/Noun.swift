package import ArgumentParser
package import Domain

/// A record type as the command line knows it: its noun, its fields, its workflow, and the verbs written by hand.
package struct Noun: Sendable {
  package let type: RecordTypeDefinition
  package let words: CommandNoun
  package let workflow: WorkflowDefinition?
  /// Verbs that do more than the generic ones; one with the name of a generic verb takes its place.
  package let verbs: [any ParsableCommand.Type]

  /// Nil for a type without a noun.
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

  /// The word.
  package var name: String { words.name }

  /// One record in a sentence, such as `tree`.
  var one: String { type.label.lowercased() }
  /// Several records in a sentence, such as `trees`.
  var many: String { type.plural.lowercased() }
  /// The type's name in lower case with its article.
  var some: String { "\("aeiou".contains(one.first ?? "x") ? "an" : "a") \(one)" }

  /// The transitions that people take.
  var transitions: [String] { workflow?.transitions.filter { $0.by == .person }.map(\.name) ?? [] }
  /// The states of the workflow.
  var states: [String] { workflow?.states.map(\.name) ?? [] }

  /// A record in the examples of the help.
  var example: String { type.key.isEmpty ? "01a1…" : "\(type.key.last ?? "key")-1" }

  /// The fields that a verb takes as flags or arguments; a field whose flag is taken is left to `--set`.
  func fields(of columns: [String], positional: [String] = []) -> [NounField] {
    var taken = CommandNoun.reserved
    return (positional + columns.filter { !positional.contains($0) }).compactMap { column in
      let target = type.references.first { $0.column == column }?.target
      let isPositional = positional.contains(column)
      let flag = words.flag(of: column, isReference: target != nil)
      guard isPositional || taken.insert(flag).inserted else { return nil }
      return NounField(column: column, flag: flag, target: target, isPositional: isPositional)
    }
  }

  /// The flags by which a list is narrowed: references, and what the manifest names.
  var filters: [NounField] {
    let references = type.references.filter { type.creatable.contains($0.column) }.map(\.column)
    let named = words.filters.map {
      NounField(column: $0.column, flag: $0.name, target: nil, isPositional: false)
    }
    let taken = Set(named.map(\.flag))
    return named + fields(of: references).filter { !taken.contains($0.flag) }
  }
}

/// A field that a verb of a noun takes.
package struct NounField: Sendable, Hashable {
  /// The column.
  let column: String
  /// The flag, without dashes.
  let flag: String
  /// The type that it refers to; nil for a value.
  let target: String?
  /// Whether it is given without a flag.
  let isPositional: Bool

  /// The words of the help.
  var help: String {
    let words = column.hasSuffix("_id") && target != nil ? String(column.dropLast(3)) : column
    let text = words.split(separator: "_").joined(separator: " ")
    let sentence = text.prefix(1).uppercased() + text.dropFirst()
    guard let target else { return "\(sentence)." }
    return target == "core.membership" ? "\(sentence): a member." : "\(sentence): its key or id."
  }
}
