internal import Domain

/// The body of a request about mails: an object with known members.
struct MailBody {
  let object: JSONObject

  /// - Throws: `invalid_json`, or `unknown_fields` for members that are not named.
  init(_ request: APIRequest, members: [String]) throws {
    object = try request.json()
    let unknown = object.members.map(\.key).filter { !members.contains($0) }
    guard unknown.isEmpty else {
      throw DomainError(
        .unknownFields,
        "unknown: \(unknown.map { "\(Quoted($0))" }.joined(separator: ", "))",
        hint: "use \(members.joined(separator: ", "))"
      )
    }
  }

  /// Returns the text of a member; nil if it is missing or null.
  ///
  /// - Throws: `invalid_input` for another type, `value_too_long` above `maximum` bytes.
  func optional(_ name: String, _ maximum: Int) throws(DomainError) -> String? {
    switch object[name] {
    case nil, .null: return nil
    case .string(let text):
      guard text.utf8.count <= maximum else { throw DomainError(.valueTooLong, "\(name) is too long") }
      return text
    default: throw DomainError(.invalidInput, "\(name) is not a string")
    }
  }

  /// Returns the text of a member.
  ///
  /// - Throws: `missing_fields`, or as ``optional(_:_:)``.
  func required(_ name: String, _ maximum: Int) throws(DomainError) -> String {
    guard let text = try optional(name, maximum) else {
      throw DomainError(.missingFields, "missing: \(name)")
    }
    return text
  }
}
