/// Something that a company, or one member of it, is entitled to beyond what everybody is.
package struct EntitlementState: Sendable, Hashable {
  /// What it is called, such as `pro`.
  package let name: String
  /// The address of the only member it is for; nil for all.
  package let member: String?
  /// From when it holds, where that is still to come.
  package let from: Instant?
  /// Until when; nil for without end.
  package let until: Instant?

  /// Puts an entitlement together.
  package init(name: String, member: String?, from: Instant? = nil, until: Instant? = nil) {
    self.name = name
    self.member = member?.lowercased()
    self.from = from
    self.until = until
  }

  /// How messages call it.
  package var text: String { member.map { "\(name) for \($0)" } ?? name }

  var document: JSONValue {
    guard member != nil || from != nil || until != nil else { return .string(name) }
    var object: JSONObject = ["name": .string(name)]
    object["member"] = member.map { .string($0) }
    object["from"] = from.map { .string($0.rfc3339) }
    object["until"] = until.map { .string($0.rfc3339) }
    return .object(object)
  }
}

extension EntitlementState: Decodable {
  package init(from decoder: any Decoder) throws {
    if let name = try? decoder.singleValueContainer().decode(String.self) {  // an object is read below
      self.init(name: name, member: nil)
      return
    }
    let object = try StrictObject(decoder, keys: ["name", "member", "from", "until"])
    self.init(
      name: try object.required("name"),
      member: try object.optional("member", as: EmailAddress.self)?.key,
      from: try object.optional("from"),
      until: try object.optional("until")
    )
  }
}

/// Something that a company does at certain times: an app says what and when, the company whether.
package struct ScheduleState: Sendable, Hashable {
  /// What commands call it, such as `history.seal`.
  package let name: String
  /// Whether it rests until somebody resumes it.
  package let isPaused: Bool

  /// Puts a schedule together.
  package init(name: String, isPaused: Bool) {
    self.name = name
    self.isPaused = isPaused
  }
}

extension ScheduleState: NamedDecodable {
  package init(name: String?, from decoder: any Decoder) throws {
    let object = try StrictObject(decoder, keys: ["paused"] + (name == nil ? ["name"] : []))
    self.init(name: try name ?? object.required("name"), isPaused: try object.value("paused", default: false))
  }
}
