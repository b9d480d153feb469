internal import Domain

/// Reads the texts of a JSON body, and refuses unknown members.
struct IdentityBody {
  private let object: JSONObject

  /// - Throws: `invalid_json`; `unknown_fields` for a member that is not named.
  init(_ request: APIRequest, _ names: [String]) throws {
    object = try request.json()
    let unknown = object.keys.filter { !names.contains($0) }
    guard unknown.isEmpty else {
      throw DomainError(
        .unknownFields,
        "the body has no member \(Quoted(unknown[0]))",
        hint: names.isEmpty ? "send no members" : "use only: \(names.joined(separator: ", "))",
        details: ["fields": .strings(unknown)]
      )
    }
  }

  /// Returns the text of the first of several names that the body has, so that a name can have two spellings.
  ///
  /// - Throws: `missing_fields`, `invalid_input` for another type than a string.
  func text(_ names: String...) throws -> String {
    for name in names {
      if let text = try optionalText(name) { return text }
    }
    throw DomainError(.missingFields, "\(names[0]) is missing", details: ["fields": [.string(names[0])]])
  }

  /// Returns a text; nil if it is missing or null.
  ///
  /// - Throws: `invalid_input` for another type than a string, and for a text of more than 32 KiB.
  func optionalText(_ name: String) throws -> String? {
    guard let value = object[name], !value.isNull else { return nil }
    guard let text = value.string, text.utf8.count <= 32_768 else {
      throw DomainError(.invalidInput, "\(name) must be a string", details: ["fields": [.string(name)]])
    }
    return text
  }
}
