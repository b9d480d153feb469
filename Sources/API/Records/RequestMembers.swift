internal import Domain
internal import FoundationEssentials

/// Reads the members of a request's JSON object one by one. Members that are not read are the rest.
struct RequestMembers {
  /// The members that were not read.
  private(set) var rest: JSONObject

  init(_ object: JSONObject) { rest = object }

  /// Takes a member that is an id; nil if it is absent or null.
  ///
  /// - Throws: `invalid_id`.
  mutating func id(_ name: String) throws(DomainError) -> UUID? {
    guard let value = take(name), !value.isNull else { return nil }
    guard let text = value.string, let id = UUID(text: text) else {
      throw DomainError(.invalidID, "\(name) is not an id", details: ["fields": [.string(name)]])
    }
    return id
  }

  /// Takes a member that is a text; nil if it is absent or null.
  ///
  /// - Throws: `invalid_input`.
  mutating func text(_ name: String) throws(DomainError) -> String? {
    guard let value = take(name), !value.isNull else { return nil }
    guard let text = value.string else { throw wrong(name, "a text") }
    return text
  }

  /// Takes a member that is a version; nil if it is absent or null.
  ///
  /// - Throws: `invalid_number`.
  mutating func version() throws(DomainError) -> Int64? {
    guard let value = take("version"), !value.isNull else { return nil }
    guard let version = value.number?.integer, version > 0 else {
      throw DomainError(
        .invalidNumber,
        "version is not a positive whole number",
        details: ["fields": ["version"]]
      )
    }
    return version
  }

  /// Takes a member that is an object; nil if it is absent or null.
  ///
  /// - Throws: `invalid_input`.
  mutating func object(_ name: String) throws(DomainError) -> JSONObject? {
    guard let value = take(name), !value.isNull else { return nil }
    guard let object = value.object else { throw wrong(name, "an object") }
    return object
  }

  /// Takes a member that is an array; nil if it is absent or null.
  ///
  /// - Throws: `invalid_input`.
  mutating func array(_ name: String) throws(DomainError) -> [JSONValue]? {
    guard let value = take(name), !value.isNull else { return nil }
    guard let array = value.array else { throw wrong(name, "an array") }
    return array
  }

  /// Requires that every member was read.
  ///
  /// - Throws: `unknown_fields`.
  func requireNoRest() throws(DomainError) {
    guard !rest.isEmpty else { return }
    throw DomainError(
      .unknownFields,
      "the body has unknown members: \(rest.keys.map { "\(Quoted($0))" }.joined(separator: ", "))",
      details: ["fields": .strings(rest.keys)]
    )
  }

  private mutating func take(_ name: String) -> JSONValue? {
    let value = rest[name]
    rest[name] = nil
    return value
  }

  private func wrong(_ name: String, _ kind: String) -> DomainError {
    DomainError(.invalidInput, "\(name) is not \(kind)", details: ["fields": [.string(name)]])
  }
}
