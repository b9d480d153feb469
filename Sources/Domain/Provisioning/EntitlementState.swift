/// An entitlement of a company or of one of its members.
package struct EntitlementState: Sendable, Hashable {
  /// The name, such as `pro`.
  package let name: String
  /// The e-mail address of the only member who has the entitlement; nil for the whole company.
  package let member: String?
  /// The start of the entitlement; nil if it has started.
  package let from: Instant?
  /// The end of the entitlement; nil if it does not end.
  package let until: Instant?

  package init(name: String, member: String?, from: Instant? = nil, until: Instant? = nil) {
    self.name = name
    self.member = member?.lowercased()
    self.from = from
    self.until = until
  }

  /// The entitlement as a text for messages, which also identifies it: `pro`, `pro for ana@acme.example`.
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

/// A company's setting of a schedule. The app defines the schedule's times and job.
package struct ScheduleState: Sendable, Hashable {
  /// The name, such as `history.seal`.
  package let name: String
  /// True if the schedule is paused.
  package let isPaused: Bool

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
