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

  /// - Throws: `invalid_json`; `unknown_fields` for a member that is not named, with the closest name as a hint.
  package init(_ request: APIRequest, _ names: [String]) throws {
    object = try request.json()
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

  /// The names of the members in the body.
  package var names: [String] { object.keys }

  /// True if the body has a member, even with the value null.
  package func has(_ name: String) -> Bool { object[name] != nil }

  /// Returns a member as it was sent; nil if it is missing.
  package func value(_ name: String) -> JSONValue? { object[name] }

  /// Returns a text.
  ///
  /// - Throws: `missing_fields` if it is missing or null, `invalid_input` for another type.
  package func text(_ name: String) throws -> String {
    guard let text = try optionalText(name) else { throw missing(name) }
    return text
  }

  /// Returns a text; nil if it is missing or null.
  package func optionalText(_ name: String) throws -> String? {
    try optional(name, "a string") { $0.string }
  }

  /// Returns texts; nil if the member is missing or null.
  package func texts(_ name: String) throws -> [String]? {
    try optional(name, "an array of strings") { value in
      guard let elements = value.array else { return nil }
      let texts = elements.compactMap(\.string)
      return texts.count == elements.count ? texts : nil
    }
  }

  /// Returns a whole number in a range; nil if it is missing or null.
  package func integer(_ name: String, _ range: ClosedRange<Int>) throws -> Int? {
    try optional(name, "a whole number from \(range.lowerBound) to \(range.upperBound)") { value in
      guard case .number(let number) = value, let whole = Int(number.canonicalText) else { return nil }
      return range.contains(whole) ? whole : nil
    }
  }

  /// Returns true or false; nil if the member is missing or null.
  package func bool(_ name: String) throws -> Bool? { try optional(name, "true or false") { $0.bool } }

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

  private func missing(_ name: String) -> DomainError {
    DomainError(.missingFields, "\(name) is missing", details: ["fields": [.string(name)]])
  }
}
