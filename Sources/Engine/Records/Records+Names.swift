package import Domain
internal import FoundationEssentials
internal import Store

extension Records {
  /// The same fields with references by id: `machine=RM-001` becomes `machine_id=<its id>`, and
  /// `assigned_to=ana` the member's id.
  package func resolvingNames(in fields: JSONObject, type name: String, _ acting: ActingContext) async throws
    -> JSONObject
  {
    let type = try catalogue.type(name)
    var resolved: JSONObject = [:]
    for (key, value) in fields.members {
      let reference = type.definition.references.first { $0.column == key || $0.column == "\(key)_id" }
      guard let reference, let text = value.string else {
        resolved[reference?.column ?? key] = structured(value, in: key, of: type)
        continue
      }
      resolved[reference.column] = .string(try await named(text, by: reference, acting))
    }
    return resolved
  }

  /// The same condition with a reference by id.
  package func resolvingNames(in condition: RecordCondition, type name: String, _ acting: ActingContext)
    async throws
    -> RecordCondition
  {
    let type = try catalogue.type(name)
    let reference = type.definition.references.first {
      $0.column == condition.column || $0.column == "\(condition.column)_id"
    }
    let isKnown = type.viewColumns.contains { $0.name == condition.column }
    guard let reference,
      [.equal, .notEqual, .isIn, .isNotIn, .isNull, .isNotNull].contains(condition.comparison),
      reference.column == condition.column || !isKnown
    else { return condition }
    var ids: [String] = []
    for value in condition.values { ids.append(try await named(value, by: reference, acting)) }
    return RecordCondition(reference.column, condition.comparison, ids)
  }

  private func named(_ text: String, by reference: RecordReference, _ acting: ActingContext) async throws
    -> String
  {
    if UUID(uuidString: text) != nil { return text }
    return switch reference.target {
    case "core.membership": try await ActingContexts(services).member(text, of: acting.company).userID.text
    case let target where !target.hasPrefix("core."): try await resolve(acting, type: target, text).text
    default: text
    }
  }

  /// Text for a document or a list as what it says: `tags=red,small` and `tags=["red","small"]` alike.
  private func structured(_ value: JSONValue, in column: String, of type: RecordType) -> JSONValue {
    guard let text = value.string, let kind = type.column(column)?.kind else { return value }
    switch kind {
    // What is no JSON is refused, with the field's name, where all fields are checked.
    case .json: return (try? JSONValue(parsing: text)) ?? value
    case .array:
      if text.hasPrefix("["), let list = try? JSONValue(parsing: text) { return list }
      return .strings(text.split(separator: ",").map { String($0).trimmingSpaces() })
    default: return value
    }
  }
}
