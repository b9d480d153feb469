internal import Domain
internal import Store

/// Checks field values against their columns before PostgreSQL does, so that a refusal can name the field.
struct FieldCheck {
  /// The maximum characters of a text, unless the manifest sets a limit.
  static let longestText = 10_000
  /// The maximum bytes of a JSON document.
  static let largestDocument = 100_000
  /// The maximum elements of a list.
  static let longestList = 1_000

  let type: RecordType
  /// Error codes by column that replace the code of the column's kind.
  var codes: [String: ErrorCode] = [:]

  /// - Throws: `invalid_number` or another code of the column's kind, or `value_too_long`, naming the field.
  func require(_ fields: JSONObject) throws(DomainError) {
    for (name, value) in fields.members where !value.isNull {
      // Other columns are refused later as not writable, whatever their values.
      guard let column = type.column(name), type.definition.creatable.contains(name) else { continue }
      do {
        try require(value, column.kind, limit: type.definition.limits[name])
      } catch {
        throw error.about(name, as: codes[name])
      }
    }
  }

  /// Returns the fields that queries may use before write permissions are decided: those that ``require(_:)``
  /// has checked, and the engine's own if the engine writes them. Any other field is refused later, and its
  /// value may not even have its column's type.
  func askable(_ fields: JSONObject, from acting: ActingContext) -> JSONObject {
    let columns = Set(
      type.definition.creatable + (acting.actor.kind == .system ? type.definition.engine : [])
    )
    return JSONObject(fields.members.filter { columns.contains($0.key) }.map { ($0.key, $0.value) })
  }

  private func require(_ value: JSONValue, _ kind: ColumnKind, limit: Int?) throws(DomainError) {
    switch (kind, value) {
    case (.json, _):
      try requireSize(value.text.utf8.count, limit ?? Self.largestDocument, "bytes")
    case (.array(let element), .array(let values)):
      try requireSize(values.count, limit ?? Self.longestList, "elements")
      for value in values where !value.isNull { try require(value, element, limit: nil) }
    case (.array, _):
      throw DomainError(
        .invalidInput,
        "\(Quoted(value.displayText)) is not a list",
        hint: #"write it like ["a", "b"]"#
      )
    case (.other, _): break
    case (_, .array), (_, .object):
      throw DomainError(.invalidInput, "a list or an object is not its value")
    case (.boolean, .bool): break
    case (.boolean, .number), (.date, .number), (.date, .bool), (.instant, .number), (.time, .number):
      throw DomainError(.invalidInput, "\(value.text) is not its value")
    default: try requireText(value.displayText, kind, limit: limit)
    }
  }

  private func requireText(_ text: String, _ kind: ColumnKind, limit: Int?) throws(DomainError) {
    if kind == .text {
      let limit = limit ?? Self.longestText
      // Compares bytes first: their count is known, and a character has at least one.
      if text.utf8.count > limit { try requireSize(text.unicodeScalars.count, limit, "characters") }
    }
    _ = try kind.storing(text)
  }

  private func requireSize(_ size: Int, _ limit: Int, _ unit: String) throws(DomainError) {
    guard size > limit else { return }
    throw DomainError(
      .valueTooLong,
      "\(size) \(unit) exceed the limit of \(limit)",
      details: ["limit": .integer(limit), "size": .integer(size)]
    )
  }
}

extension DomainError {
  /// Returns the same refusal prefixed with the field, under another code if one is given.
  func about(_ field: String, as other: ErrorCode? = nil) -> DomainError {
    var details = details
    details["fields"] = [.string(field)]
    return DomainError(other ?? code, "\(field): \(message)", hint: hint, details: details)
  }
}
