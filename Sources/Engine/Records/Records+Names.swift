package import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

extension Records {
  /// Returns the fields with the names in references replaced by ids: `machine=RM-001` becomes
  /// `machine_id=<its id>`, and `assigned_to=ana` gets the member's id.
  ///
  /// - Throws: `not_found` for an unknown name, `invalid_input` for an ambiguous one.
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

  /// Returns the fields with the ids of the records and members that references name by number, key or address.
  ///
  /// Ids stay as they are, without a query.
  ///
  /// - Throws: `invalid_id` naming the field for a name that nothing has, and `forbidden`.
  package func resolvingReferences(in fields: JSONObject, type name: String, _ acting: ActingContext)
    async throws
    -> JSONObject
  {
    var resolved = fields
    for reference in try catalogue.type(name).definition.references {
      guard let text = fields[reference.column]?.string, UUID(text: text) == nil else { continue }
      do {
        resolved[reference.column] = .string(try await named(text, by: reference, acting))
      } catch let error as DomainError where error.code.category == .notFound {
        throw error.about(reference.column, as: .invalidID)
      }
    }
    return resolved
  }

  /// Returns the transition with the ids of the records and members that its fields name, as ``resolvingReferences(in:type:_:)``.
  package func resolvingReferences(in request: TransitionRequest, type name: String, _ acting: ActingContext)
    async throws
    -> TransitionRequest
  {
    request.with(try await resolvingReferences(in: request.fields, type: name, acting))
  }

  /// Returns the condition with references by id and canonical state names.
  ///
  /// A name that several records share, such as a category on different machines, matches all of them.
  ///
  /// - Throws: `not_found` for an unknown name, `invalid_input` for a state that no version of the workflow
  ///   has, both with the closest name as a hint.
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
    else {
      let own = type.following(followed.followed(by: acting.company.id))
      return try await StateCondition(own, services.database).checked(condition)
    }
    var ids: [String] = []
    for value in condition.values { ids += try await allNamed(value, by: reference, acting) }
    let comparison: RecordCondition.Comparison =
      switch condition.comparison {
      case .equal where ids.count > 1: .isIn
      case .notEqual where ids.count > 1: .isNotIn
      default: condition.comparison
      }
    return RecordCondition(reference.column, comparison, ids)
  }

  /// Returns the ids of every record that a filter's value names.
  private func allNamed(_ text: String, by reference: RecordReference, _ acting: ActingContext) async throws
    -> [String]
  {
    guard !reference.target.hasPrefix("core."), UUID(text: text) == nil else {
      return [try await named(text, by: reference, acting)]
    }
    let type = try catalogue.type(reference.target)
    return try await reading(acting) { tx, rights in
      if !rights.holds("\(type.name).read.own") { try rights.require("\(type.name).read", for: .read) }
      return try RecordName(type: type, company: "\(acting.company.id)").findAll(text, tx).map(\.text)
    }
  }

  private func named(_ text: String, by reference: RecordReference, _ acting: ActingContext) async throws
    -> String
  {
    if UUID(text: text) != nil { return text }
    return switch reference.target {
    case "core.membership": try await ActingContexts(services).member(text, of: acting.company).userID.text
    case let target where !target.hasPrefix("core."): try await resolve(acting, type: target, text).text
    default: text
    }
  }

  /// Returns the parsed form of a text for a document or a list: `tags=red,small` equals
  /// `tags=["red","small"]`.
  private func structured(_ value: JSONValue, in column: String, of type: RecordType) -> JSONValue {
    guard let text = value.string, let kind = type.column(column)?.kind else { return value }
    switch kind {
    // Invalid JSON is refused later, by the check of all fields, which names the field.
    case .json: return (try? JSONValue(parsing: text)) ?? value
    case .array:
      if text.hasPrefix("["), let list = try? JSONValue(parsing: text) { return list }
      return .strings(text.split(separator: ",").map { String($0).trimmingSpaces() })
    default: return value
    }
  }
}
