/// A record of a file or of the database, with fields of its type.
package struct RecordState: Sendable, Hashable {
  /// The natural key.
  package let key: RecordKey
  /// The fields by column. A reference is the key of its target; a member is an e-mail address.
  package let fields: JSONObject
  /// The status; nil if the file gives none, or if the type has no workflow.
  package let status: String?
  /// The position in the file; empty for a record of the database.
  package let path: String
  /// The id in the database; nil for a record of a file.
  package let id: String?

  package init(key: RecordKey, fields: JSONObject, status: String?, path: String = "", id: String? = nil) {
    self.key = key
    self.fields = fields
    self.status = status
    self.path = path
    self.id = id
  }
}

extension ProvisionedTypes {
  /// Creates a record of a type from a record of a file.
  ///
  /// - Throws: `unknown_fields`, `missing_fields` or `invalid_input`, with the position in the file.
  package func record(_ text: RecordText, of type: Entry) throws -> RecordState {
    do {
      return try read(text, type)
    } catch let refusal as DomainError {
      throw refusal.standing(at: text.path)
    }
  }

  private func read(_ text: RecordText, _ type: Entry) throws -> RecordState {
    var values: JSONObject = [:]
    let nameColumn = type.definition.key.last ?? ""
    if let name = text.name { values[nameColumn] = .string(name) }
    var status: String?
    for (field, value) in text.fields.members {
      if field == "status", let workflow = type.workflow {
        status = try Self.status(value, of: workflow)
        continue
      }
      let column = try Self.column(field, of: type)
      guard values[column] == nil else {
        throw DomainError(.invalidInput, "\(field) occurs twice")
      }
      values[column] = try type.reference(column).map { try reference(value, to: $0.target) } ?? value
    }
    guard let name = values[nameColumn], !name.isBlank else {
      throw DomainError(
        .missingFields,
        "\(type.title(of: nameColumn)) is missing",
        hint: "add it: it is the name of the record",
        details: ["fields": .strings([nameColumn])]
      )
    }
    let key = RecordKey(type.definition.key.map { values[$0] ?? .null })
    // Keys are equal without regard to case, so key columns are fields too: their spelling may differ.
    return RecordState(key: key, fields: values, status: status, path: text.path)
  }

  private static func status(_ value: JSONValue, of workflow: WorkflowDefinition) throws -> String {
    let names = workflow.states.map(\.name)
    if let name = value.string, names.contains(name) { return name }
    let closest = value.string.flatMap { Suggestion.closest(to: $0, among: names) }
    throw DomainError(
      .invalidInput,
      "\(workflow.name) has no status \(Quoted(value.string ?? value.text))",
      hint: closest.map { "did you mean \($0)?" } ?? "use one of: \(names.joined(separator: ", "))"
    )
  }

  private static func column(_ field: String, of type: Entry) throws -> String {
    if let column = type.columns.first(where: { $0 == field || type.title(of: $0) == field }) {
      return column
    }
    let titles = type.columns.map(type.title) + (type.workflow == nil ? [] : ["status"])
    let closest = Suggestion.closest(to: field, among: titles)
    throw DomainError(
      .unknownFields,
      "\(type.definition.label) has no field \(Quoted(field)) for a file",
      hint: closest.map { "did you mean \($0)?" } ?? "use one of: \(titles.joined(separator: ", "))",
      details: ["fields": .strings([field])]
    )
  }

  /// Returns a reference as a key: a single value, or a list with one value for each key column of the
  /// target.
  ///
  /// A single value for a target with several key columns is the last one; the others are null.
  private func reference(_ value: JSONValue, to target: String) throws -> JSONValue {
    switch value {
    case .null: return .null
    case .array(let parts):
      guard parts.count == keyCount(target) else {
        throw DomainError(.invalidInput, "a reference to \(target) requires \(keyCount(target)) values")
      }
      return RecordKey(parts).reference
    case .object: throw DomainError(.invalidInput, "a reference to \(target) must be a key, not an object")
    default:
      let missing = [JSONValue](repeating: .null, count: keyCount(target) - 1)
      return RecordKey(missing + [value]).reference
    }
  }
}
