package import Domain
package import FoundationEssentials

/// Reads the members of a JSON body, and refuses unknown ones.
///
/// ```swift
/// let body = try StrictBody(request, ["role", "uses"])
/// let role = try body.text("role")
/// let uses = try body.integer("uses", 1...1_000) ?? 1
/// ```
package struct StrictBody {
  private let object: JSONObject
  private let longestText: Int

  /// - Parameters:
  ///   - names: the members that the body may have.
  ///   - longestText: the most bytes of a text for which the reader names no limit of its own.
  /// - Throws: `invalid_json`; `unknown_fields` for a member that is not named, with the closest name as a hint.
  package init(_ request: APIRequest, _ names: [String], longestText: Int = 32_768) throws {
    object = try request.json()
    self.longestText = longestText
    let unknown = object.keys.filter { !names.contains($0) }
    guard let first = unknown.first else { return }
    throw DomainError(
      .unknownFields,
      "the body has no member \(Quoted(first))",
      hint: Suggestion.closest(to: first, among: names).map { "did you mean \($0)?" }
        ?? (names.isEmpty ? "send no members" : "use only: \(names.joined(separator: ", "))"),
      details: ["fields": .strings(unknown)]
    )
  }

  /// Reads members of an object within a body, whose names are already checked.
  package init(_ object: JSONObject, longestText: Int = 32_768) {
    self.object = object
    self.longestText = longestText
  }

  /// The names of the members in the body.
  package var names: [String] { object.keys }

  /// True if the body has a member, even with the value null.
  package func has(_ name: String) -> Bool { object[name] != nil }

  /// Returns a member as it was sent; nil if it is missing.
  package func value(_ name: String) -> JSONValue? { object[name] }

  /// Returns a text: the first that the body has of several names, so that a member can have two spellings.
  ///
  /// - Throws: `missing_fields` if it is missing or null; otherwise as ``optionalText(_:maximum:)``.
  package func text(_ names: String..., maximum: Int? = nil) throws -> String {
    for name in names {
      if let text = try optionalText(name, maximum: maximum) { return text }
    }
    throw missing(names[0])
  }

  /// Returns a text; nil if it is missing or null.
  ///
  /// - Parameter maximum: the most bytes; nil for the limit of the body.
  /// - Throws: `invalid_input` for another type, `value_too_long`.
  package func optionalText(_ name: String, maximum: Int? = nil) throws -> String? {
    guard let text = try optional(name, "a string", { $0.string }) else { return nil }
    let maximum = maximum ?? longestText
    guard text.utf8.count <= maximum else {
      throw DomainError(
        .valueTooLong,
        "\(name) is longer than \(maximum) bytes",
        details: ["fields": [.string(name)]]
      )
    }
    return text
  }

  /// Returns texts; nil if the member is missing or null.
  package func texts(_ name: String) throws -> [String]? {
    try optional(name, "an array of strings") { value in
      guard let elements = value.array else { return nil }
      let texts = elements.compactMap(\.string)
      return texts.count == elements.count ? texts : nil
    }
  }

  /// Returns texts.
  ///
  /// - Throws: `missing_fields` if the member is missing or null, `invalid_input` for another type.
  package func requiredTexts(_ name: String) throws -> [String] {
    guard let texts = try texts(name) else { throw missing(name) }
    return texts
  }

  /// Returns one of the raw values of an enumeration; nil if it is missing or null.
  package func choice<Choice: RawRepresentable & CaseIterable>(_ name: String, _ type: Choice.Type) throws
    -> Choice?
  where Choice.RawValue == String {
    let values = Choice.allCases.map(\.rawValue).joined(separator: ", ")
    return try optional(name, "one of: \(values)") { $0.string.flatMap(Choice.init(rawValue:)) }
  }

  /// Returns an object; nil if the member is missing or null.
  package func object(_ name: String) throws -> JSONObject? { try optional(name, "an object") { $0.object } }

  /// Returns a whole number in a range; nil if it is missing or null.
  package func integer(_ name: String, _ range: ClosedRange<Int>) throws -> Int? {
    try optional(name, "a whole number from \(range.lowerBound) to \(range.upperBound)") { value in
      guard case .number(let number) = value, let whole = Int(number.canonicalText) else { return nil }
      return range.contains(whole) ? whole : nil
    }
  }

  /// Returns true or false; nil if the member is missing or null.
  package func bool(_ name: String) throws -> Bool? { try optional(name, "true or false") { $0.bool } }

  /// Returns an id; nil if the member is missing or null.
  package func id(_ name: String) throws -> UUID? {
    try optional(name, "a UUID") { $0.string.flatMap(UUID.init(uuidString:)) }
  }

  /// Returns ids; nil if the member is missing or null.
  package func ids(_ name: String, maximum: Int) throws -> [UUID]? {
    try optional(name, "an array of at most \(maximum) ids") { value in
      guard let elements = value.array, elements.count <= maximum else { return nil }
      let ids = elements.compactMap { $0.string.flatMap(UUID.init(uuidString:)) }
      return ids.count == elements.count ? ids : nil
    }
  }

  private func optional<Value>(_ name: String, _ kind: String, _ read: (JSONValue) -> Value?) throws -> Value?
  {
    guard let value = object[name], !value.isNull else { return nil }
    guard let found = read(value) else {
      throw DomainError(.invalidInput, "\(name) must be \(kind)", details: ["fields": [.string(name)]])
    }
    return found
  }

  /// Returns the error for a member that the body must have.
  package func missing(_ name: String) -> DomainError {
    DomainError(.missingFields, "\(name) is missing", details: ["fields": [.string(name)]])
  }
}
