internal import Domain
internal import Store

/// Checks what a caller wants to write against what a type's columns allow.
struct RecordInput {
  let type: RecordType

  /// - Parameter creating: fields that are fixed after creation may be given now.
  /// - Throws: `unknown_fields` with the closest name, `field_not_editable`, `missing_fields`.
  func check(_ fields: JSONObject, creating: Bool) throws {
    let definition = type.definition
    let writable = creating ? definition.creatable : definition.editable
    for name in fields.keys where !writable.contains(name) {
      guard type.column(name) == nil else {
        let known = "these can be written: \(writable.joined(separator: ", "))"
        throw DomainError(.fieldNotEditable, "\(name) of \(type.name) cannot be written", hint: known)
      }
      let closest = Suggestion.closest(to: name, among: writable)
      throw DomainError(
        .unknownFields, "\(type.name) has no field \(Quoted(name))",
        hint: closest.map { "did you mean \($0)?" } ?? "it has: \(writable.joined(separator: ", "))",
        details: ["fields": .strings([name])])
    }
  }

  /// Every required column that has no value yet, all at once.
  func requireAll(_ fields: JSONObject) throws {
    let stamped = Set(RecordTypeDefinition.baseColumns + ["status", "status_category"])
    let missing = type.columns.filter { column in
      !column.isNullable && !column.hasDefault && !column.isGenerated && !stamped.contains(column.name)
        && (fields[column.name]?.isBlank ?? true)
    }.map(\.name)
    guard missing.isEmpty else {
      throw DomainError(
        .missingFields, "\(missing.joined(separator: ", ")) \(missing.count == 1 ? "is" : "are") missing",
        details: ["fields": .strings(missing)])
    }
  }
}
