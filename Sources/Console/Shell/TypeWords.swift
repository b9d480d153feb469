internal import API
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Web

/// The words for a record type, its columns, states and transitions.
///
/// They are looked up in the words of the language under the name of the type: `maintenance.entry`, its plural under
/// `maintenance.entry#plural`, a column under `maintenance.entry.due_on`, a state under `maintenance.entry=pending`, a
/// transition under `maintenance.entry!start`, a value of a choice under `maintenance.entry.priority=1`, the message of a
/// guard under `maintenance.entry?open_entries`. Columns of every type have the prefix `*`. Keys of its type
/// that the program lacks are looked up in the `words` of the app's manifest. What has none is called as in the manifest, and
/// what the company has named itself, as the company does.
struct TypeWords: TypeNaming {
  let type: RecordType
  let words: Words

  init(_ type: RecordType, _ words: Words) {
    self.type = type
    self.words = words
  }

  /// Returns the text of a key: the program's, or else that of the app's manifest.
  func known(_ key: String) -> String? { words.known(key) ?? type.words.texts[words.language]?[key] }

  /// The name of the app.
  var app: String { Self.title(ofApp: type.app, titled: known("app") ?? type.appTitle, words) }

  /// The name of one record.
  var label: String { known(type.name) ?? type.definition.label }

  /// The name of one record within a sentence.
  var inner: String { label.prefix(1).lowercased() + label.dropFirst() }

  /// The name of several records.
  var plural: String { known("\(type.name)#plural") ?? type.definition.plural }

  /// The words of a button that makes a record.
  var new: String { known("\(type.name)#new") ?? words("list.new", inner) }

  /// The name of several records within a sentence.
  var innerPlural: String { plural.prefix(1).lowercased() + plural.dropFirst() }

  func column(_ name: String) -> String {
    if let word = known("\(type.name).\(name)") ?? words.known("*.\(name)") { return word }
    // The form in which a text is compared is called as the text.
    let isCompared = name.hasSuffix("_key") && type.definition.engine.contains(name)
    return isCompared ? column(String(name.dropLast("_key".count))) : Self.readable(name)
  }

  /// Returns a message about a record in the language, with columns as people know them; nil if the language lacks it.
  ///
  /// - Parameter types: other types that a message may name.
  func known(message: String, types: [RecordType] = []) -> String? {
    let (column, text) = parts(of: message)
    guard words.language != .english else { return (column.map { "\($0): " } ?? "") + named(text) }
    let said = words.said(text) { name in
      // Several columns are missing at once.
      let columns = name.components(separatedBy: ", ").map { label($0[...]) }
      if !columns.contains(nil) { return columns.compactMap(\.self).joined(separator: ", ") }
      return types.first { $0.definition.label.lowercased() == name }.map { TypeWords($0, words).inner }
        ?? referenced(name)
    }
    return said.map { (column.map { "\($0): " } ?? "") + named($0) }
  }

  /// Returns a message as ``known(message:types:)`` does, or in English with columns as people know them.
  func said(_ message: String, types: [RecordType] = []) -> String {
    let (column, text) = parts(of: message)
    return known(message: message, types: types) ?? (column.map { "\($0): " } ?? "") + named(text)
  }

  /// The name of the column that a message begins with, and the rest.
  private func parts(of message: String) -> (column: String?, text: String) {
    guard let colon = message.firstIndex(of: ":"), let label = label(message[..<colon]) else {
      return (nil, message)
    }
    return (label, String(message[colon...].dropFirst().drop { $0 == " " }))
  }

  /// Returns what a type is called to which this one refers, by its label in English.
  private func referenced(_ label: String) -> String? {
    let target = type.referenceTargets.map(\.target).first { target in
      Self.readable(String(target.split(separator: ".").last ?? "")).lowercased() == label
    }
    return target.flatMap { known($0) }.map { $0.prefix(1).lowercased() + $0.dropFirst() }
  }

  private func label(_ name: Substring) -> String? {
    type.column(String(name)).map { _ in column(String(name)) }
  }

  /// Returns a text with the names of columns in it as people know them: "… is before started_at".
  private func named(_ text: String) -> String {
    text.replacing(/[a-z0-9]+(?:_[a-z0-9]+)+/) { match in
      label(match.output).map { $0.prefix(1).lowercased() + $0.dropFirst() } ?? String(match.output)
    }
  }

  func state(_ name: String) -> String {
    let state = type.workflow?.state(name)
    let known = state?.isRelabelled == true ? nil : known("\(type.name)=\(name)")
    return known ?? state?.label ?? Self.readable(name)
  }

  func transition(_ name: String) -> String {
    let transition = type.workflow?.transition(name)
    let known = transition?.isRelabelled == true ? nil : known("\(type.name)!\(name)")
    return known ?? transition?.label ?? Self.readable(name)
  }

  /// Returns the numbers that stand for words, such as the priorities 1 to 4; empty for a column of amounts.
  func codes(_ column: String) -> [(value: String, label: String)] {
    (0...9).compactMap { code in known("\(type.name).\(column)=\(code)").map { ("\(code)", $0) } }
  }

  func choice(_ value: String, of column: String) -> String {
    known("\(type.name).\(column)=\(value)") ?? Self.readable(value)
  }

  /// Returns what a field expects, from the column's comment; nil if there is no comment in the person's language.
  func hint(_ name: String) -> String? {
    if let known = known("\(type.name).\(name)#hint") { return known }
    guard words.language == .english, let comment = type.column(name)?.comment, !comment.isEmpty else {
      return nil
    }
    // What null means is for those who read the table.
    let parts = comment.split(separator: ";").filter { !$0.contains("null ") }
    let hint = parts.joined(separator: ";").split(separator: ", null").first.map(String.init) ?? ""
    let label = column(name).lowercased()
    let said = hint.lowercased().filter { $0 != "." }
    // "Tool: The tool." says nothing.
    guard !said.isEmpty, said != label, said != "the \(label)" else { return nil }
    return hint.hasSuffix(".") ? hint : hint + "."
  }

  /// Returns the apps of types in the order in which people see them: maintenance, then the others by name.
  static func apps(of types: [RecordType]) -> [String] { apps(Array(Set(types.map(\.app)))) }

  /// Returns apps in the order in which people see them.
  static func apps(_ names: [String]) -> [String] {
    names.sorted { ($0 == "maintenance" ? "" : $0) < ($1 == "maintenance" ? "" : $1) }
  }

  /// Returns the sentence that is shown if a guard refuses, by the name of its message.
  func message(_ name: String) -> String? {
    known("\(type.name)?\(name)") ?? type.messages.first { $0.name == name }?.text
  }

  /// Returns the name of an app: a word of the language, or its title in the manifest.
  static func title(ofApp app: String, titled title: String?, _ words: Words) -> String {
    if let known = words.known("app.\(app)") { return known }
    return title.flatMap { $0.isEmpty ? nil : $0 } ?? readable(app)
  }

  /// Returns the name of one of the installed apps.
  static func title(of app: String, among apps: [InstalledApp], _ words: Words) -> String {
    title(ofApp: app, titled: apps.first { $0.name == app }?.title, words)
  }

  /// Returns the name of a column for people: `machine_id` becomes `Machine`, `is_powered` becomes `Powered`.
  static func readable(_ name: String) -> String {
    var stem = name.hasSuffix("_id") ? String(name.dropLast(3)) : name
    if stem.hasPrefix("is_") { stem.removeFirst(3) }
    let words = stem.split(separator: "_").joined(separator: " ")
    return words.prefix(1).uppercased() + words.dropFirst()
  }
}
