internal import Domain
internal import FoundationEssentials

/// Reads the members of a JSON body, and refuses unknown ones.
struct SignInBody {
  private let object: JSONObject

  /// - Throws: `invalid_json`; `unknown_fields` for a member that is not named.
  init(_ request: APIRequest, _ names: [String]) throws {
    object = try request.json()
    let unknown = object.keys.filter { !names.contains($0) }
    guard let first = unknown.first else { return }
    throw DomainError(
      .unknownFields,
      "the body has no member \(Quoted(first))",
      hint: names.isEmpty ? "send no members" : "use only: \(names.joined(separator: ", "))",
      details: ["fields": .strings(unknown)]
    )
  }

  /// Reads members that others check.
  init(_ object: JSONObject) { self.object = object }

  /// Returns a text.
  ///
  /// - Throws: `missing_fields` if it is missing or null, `invalid_input` for another type.
  func text(_ name: String) throws -> String {
    guard let text = try optionalText(name) else {
      throw DomainError(.missingFields, "\(name) is missing", details: ["fields": [.string(name)]])
    }
    return text
  }

  /// Returns a text of at most 1,000 bytes; nil if it is missing or null.
  func optionalText(_ name: String) throws -> String? {
    try optional(name, "a string of at most 1,000 bytes") { value in
      value.string.flatMap { $0.utf8.count <= 1_000 ? $0 : nil }
    }
  }

  /// Returns texts.
  ///
  /// - Throws: `missing_fields`, `invalid_input`.
  func texts(_ name: String) throws -> [String] {
    let texts = try optional(name, "an array of strings") { value -> [String]? in
      guard let elements = value.array else { return nil }
      let texts = elements.compactMap(\.string)
      return texts.count == elements.count ? texts : nil
    }
    guard let texts else {
      throw DomainError(.missingFields, "\(name) is missing", details: ["fields": [.string(name)]])
    }
    return texts
  }

  /// Returns a whole number; nil if it is missing or null.
  func integer(_ name: String) throws -> Int? {
    try optional(name, "a whole number") { value in
      guard case .number(let number) = value else { return nil }
      return Int(number.canonicalText)
    }
  }

  /// Returns an id; nil if it is missing or null.
  func id(_ name: String) throws -> UUID? {
    try optional(name, "a UUID") { $0.string.flatMap(UUID.init(uuidString:)) }
  }

  /// Returns one of the raw values of an enumeration; nil if it is missing or null.
  func choice<Choice: RawRepresentable & CaseIterable>(_ name: String, _ type: Choice.Type) throws -> Choice?
  where Choice.RawValue == String {
    let names = Choice.allCases.map(\.rawValue).joined(separator: ", ")
    return try optional(name, "one of: \(names)") { $0.string.flatMap(Choice.init(rawValue:)) }
  }

  /// Returns an object; nil if it is missing or null.
  func object(_ name: String) throws -> JSONObject? { try optional(name, "an object") { $0.object } }

  private func optional<Value>(_ name: String, _ kind: String, _ read: (JSONValue) -> Value?) throws -> Value?
  {
    guard let value = object[name], !value.isNull else { return nil }
    guard let found = read(value) else {
      throw DomainError(.invalidInput, "\(name) must be \(kind)", details: ["fields": [.string(name)]])
    }
    return found
  }
}
