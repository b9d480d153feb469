/// A record whose type is known: how it is called, what it says, where it stands.
package struct RecordState: Sendable, Hashable {
  /// By what it is told from the others.
  package let key: RecordKey
  /// Its other columns; references by the other record's key, members by their address.
  package let fields: JSONObject
  /// Its status; nil in a file that does not say, and for types without a workflow.
  package let status: String?
  /// Where in the file it stands; empty for the database.
  package let path: String
  /// Which one it is in the database; nil in a file.
  package let id: String?

  /// Puts a record together.
  package init(key: RecordKey, fields: JSONObject, status: String?, path: String = "", id: String? = nil) {
    self.key = key
    self.fields = fields
    self.status = status
    self.path = path
    self.id = id
  }
}

extension ProvisionedTypes {
  /// Reads a record of a file as one of a type.
  ///
  /// - Throws: `unknown_fields`, `missing_fields`, `invalid_input`, each with the place in the file.
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
        throw DomainError(.invalidInput, "\(field) stands there twice")
      }
      values[column] = try type.reference(column).map { try reference(value, to: $0.target) } ?? value
    }
    guard let name = values[nameColumn], !name.isBlank else {
      throw DomainError(
        .missingFields,
        "\(type.title(of: nameColumn)) is missing",
        hint: "it is what the record is called",
        details: ["fields": .strings([nameColumn])]
      )
    }
    let key = RecordKey(type.definition.key.map { values[$0] ?? .null })
    // A key column that has an editable spelling is compared too, so it stays among the fields.
    return RecordState(key: key, fields: values, status: status, path: text.path)
  }

  private static func status(_ value: JSONValue, of workflow: WorkflowDefinition) throws -> String {
    let names = workflow.states.map(\.name)
    if let name = value.string, names.contains(name) { return name }
    let closest = value.string.flatMap { Suggestion.closest(to: $0, among: names) }
    throw DomainError(
      .invalidInput,
      "\(workflow.name) has no status \(Quoted(value.string ?? value.text))",
      hint: closest.map { "did you mean \($0)?" } ?? "there are: \(names.joined(separator: ", "))"
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
      "\(type.definition.label) has no \(Quoted(field)) that a file could give",
      hint: closest.map { "did you mean \($0)?" } ?? "there are: \(titles.joined(separator: ", "))",
      details: ["fields": .strings([field])]
    )
  }

  /// A reference in one form: as many values as the other type's key has columns, a single one by itself.
  private func reference(_ value: JSONValue, to target: String) throws -> JSONValue {
    switch value {
    case .null: return .null
    case .array(let parts):
      guard parts.count == keyCount(target) else {
        throw DomainError(.invalidInput, "a record of \(target) is called by \(keyCount(target)) values")
      }
      return RecordKey(parts).reference
    case .object: throw DomainError(.invalidInput, "a record of \(target) is called by its key")
    default:
      let missing = [JSONValue](repeating: .null, count: keyCount(target) - 1)
      return RecordKey(missing + [value]).reference
    }
  }
}
