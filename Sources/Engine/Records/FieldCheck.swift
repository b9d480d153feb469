internal import Domain
internal import Store

/// Checks field values against their columns before PostgreSQL does, so that the error names the field.
package struct FieldCheck {
  /// The default maximum of characters in a text; the manifest can set another.
  package static let longestText = 10_000
  /// The default maximum size of a JSON document in bytes; the manifest can set another.
  package static let largestDocument = 100_000
  /// The default maximum of elements in a list; the manifest can set another.
  package static let longestList = 1_000

  let type: RecordType
  /// Error codes by column. They replace the code of the column's kind.
  private let codes: [String: ErrorCode]
  /// True for values that are compared and not written: they may have more decimals than their columns.
  private let isComparison: Bool

  /// - Parameters:
  ///   - rule: the type's rule, which may have error codes of its own.
  ///   - isComparison: true for values that are compared and not written.
  init(type: RecordType, rule: RecordRule?, isComparison: Bool = false) {
    self.type = type
    codes = rule?.codes ?? [:]
    self.isComparison = isComparison
  }

  /// Checks the fields that callers can set; null always passes.
  ///
  /// - Throws: the code of the column's kind, such as `invalid_number`, or `value_too_long`, naming the
  ///   field. A number with more decimals than its column is refused, because PostgreSQL would round it.
  func require(_ fields: JSONObject) throws(DomainError) {
    let creatable = type.definition.creatable
    for (name, value) in fields.members where !value.isNull {
      // Other columns are refused later as not writable.
      guard let column = type.column(name), creatable.contains(name) else { continue }
      do {
        let isRounded = isComparison || type.definition.rounds.contains(name)
        let kind = isRounded ? column.kind.rounded : column.kind
        try require(value, kind, limit: type.definition.limits[name])
      } catch {
        throw error.about(name, as: codes[name])
      }
    }
  }

  /// Returns the fields as their columns store them, so that a rule reads the same from every writer: true and false as
  /// JSON has them, which a file and a command line give as text, and texts as texts, which JSON can give as numbers.
  func canonical(_ fields: JSONObject) -> JSONObject {
    var canonical = fields
    for (name, value) in fields.members {
      guard let kind = type.column(name)?.kind else { continue }
      canonical[name] = Self.canonical(value, kind)
    }
    return canonical
  }

  private static func canonical(_ value: JSONValue, _ kind: ColumnKind) -> JSONValue {
    switch (kind, value) {
    case (.boolean, .string(let text)): ColumnKind.truth(of: text).map { .bool($0) } ?? value
    case (.text, .number), (.text, .bool): .string(value.displayText)
    case (.array(let element), .array(let values)): .array(values.map { canonical($0, element) })
    default: value
    }
  }

  /// Returns the fields that queries may use before write permissions are checked.
  ///
  /// These are the fields that ``require(_:)`` has checked and, if the engine writes, the engine's own
  /// columns. The others are refused later; their values may not fit their columns.
  func askable(_ fields: JSONObject, from acting: ActingContext) -> JSONObject {
    let columns = type.definition.creatable + (acting.actor.kind == .system ? type.definition.engine : [])
    return JSONObject(fields.members.filter { columns.contains($0.key) }.map { ($0.key, $0.value) })
  }

  private func require(_ value: JSONValue, _ kind: ColumnKind, limit: Int?) throws(DomainError) {
    switch (kind, value) {
    case (.json, _):
      let text = value.text
      try requireSize(text.utf8.count, limit ?? Self.largestDocument, "bytes")
      // JSON escapes NUL, which PostgreSQL stores in no text.
      if text.contains("\\u0000"), holdsNUL(value) {
        throw DomainError(.invalidInput, "the document holds a NUL character")
      }
      guard !isDeeper(value, than: DocumentLimits.column.depth) else {
        throw DomainError(
          .invalidJSON,
          "the document is nested in more than \(DocumentLimits.column.depth) levels"
        )
      }
    case (.array(let element), .array(let values)):
      try requireSize(values.count, limit ?? Self.longestList, "elements")
      for value in values where !value.isNull { try require(value, element, limit: nil) }
    case (.array, _):
      throw DomainError(
        .invalidInput,
        "\(Quoted(value.displayText)) is not a list",
        hint: #"write a list such as ["a", "b"]"#
      )
    case (.other, _): break
    case (_, .array), (_, .object):
      throw DomainError(.invalidInput, "expected a single value, not a list or an object")
    case (.boolean, .bool): break
    case (.boolean, .number), (.date, .number), (.date, .bool), (.instant, .number), (.time, .number):
      throw DomainError(.invalidInput, "\(value.text) is not a value of the field's type")
    default: try requireText(value.displayText, kind, limit: limit)
    }
  }

  private func holdsNUL(_ value: JSONValue) -> Bool {
    switch value {
    case .string(let text): text.utf8.contains(0)
    case .array(let values): values.contains(where: holdsNUL)
    case .object(let object): object.members.contains { $0.key.utf8.contains(0) || holdsNUL($0.value) }
    default: false
    }
  }

  private func isDeeper(_ value: JSONValue, than levels: Int) -> Bool {
    switch value {
    case .array(let values): levels == 0 || values.contains { isDeeper($0, than: levels - 1) }
    case .object(let object): levels == 0 || object.members.contains { isDeeper($0.value, than: levels - 1) }
    default: false
    }
  }

  private func requireText(_ text: String, _ kind: ColumnKind, limit: Int?) throws(DomainError) {
    if kind == .text {
      let limit = limit ?? Self.longestText
      // A text has at most as many characters as bytes, so counting bytes is usually enough.
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
  /// Returns the same error prefixed with the field, with `other` as its code if given.
  func about(_ field: String, as other: ErrorCode? = nil) -> DomainError {
    var details = details
    details["fields"] = [.string(field)]
    return DomainError(other ?? code, "\(field): \(message)", hint: hint, details: details)
  }
}
