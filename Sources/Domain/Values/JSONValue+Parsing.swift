extension JSONValue {
  /// Parses JSON text.
  ///
  /// Text that two parsers may read differently is not accepted: a repeated name, half a surrogate pair, NUL,
  /// nesting beyond 64 levels, or text after the value.
  ///
  /// - Throws: `invalid_json` with the byte offset, also for text beyond the limits; `invalid_number` for a
  ///   number that ``ExactDecimal`` rejects.
  package init(parsing text: String, limits: DocumentLimits = .data) throws(DomainError) {
    do throws(JSONError) {
      self = try JSONReader.read(Array(text.utf8), limits)
    } catch {
      throw DomainError(json: error)
    }
  }

  /// True if the value does not satisfy a required field: null, or text without a visible character.
  package var isBlank: Bool {
    switch self {
    case .null: true
    case .string(let text): !text.isVisible
    default: false
    }
  }
}

extension DomainError {
  /// `invalid_json` with the byte offset, or `invalid_number`.
  package init(json error: JSONError) {
    switch error {
    case .syntax(let offset, _):
      self.init(.invalidJSON, error.description, details: ["offset": .integer(offset)])
    case .number(let text): self.init(number: text)
    }
  }
}
