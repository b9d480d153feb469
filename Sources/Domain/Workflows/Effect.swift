/// An effect of a transition: a row that is written in the same transaction and processed later.
///
/// There are no other effects; a job handler does everything more complex.
package enum Effect: Sendable, Hashable {
  /// A notice to members, from one of the app's templates.
  case notify(to: Recipient, template: String)
  /// A signed message to the webhooks that subscribe to the event.
  case webhook(event: String)
  /// A job of a kind. The payload contains only the record's id.
  case job(kind: String)
  /// A new record of another type. A value that begins with `$.` stands for a column of this record.
  case create(type: String, set: JSONObject)
}

/// The members who receive a notice.
package enum Recipient: Sendable, Hashable {
  /// The creator of the record.
  case creator
  /// All members with a role, by its name.
  case role(String)
  /// The member named in a column of the record's view.
  case field(String)
}

extension Effect: Codable {
  private static let kinds = ["notify", "webhook", "job", "create"]

  package init(from decoder: any Decoder) throws {
    let object = try StrictObject(decoder, keys: Self.kinds)
    let named = Self.kinds.filter(object.has)
    guard let kind = named.first, named.count == 1 else {
      throw object.invalid("", "an effect requires exactly one of \(Self.kinds.joined(separator: ", "))")
    }
    switch kind {
    case "notify": self = try object.required(kind, as: Notify.self).effect
    case "webhook": self = .webhook(event: try object.required(kind, as: Webhook.self).event)
    case "job": self = .job(kind: try object.required(kind, as: Job.self).kind)
    default: self = try object.required(kind, as: Create.self).effect
    }
  }

  package func encode(to encoder: any Encoder) throws {
    let (kind, body): (String, JSONValue) =
      switch self {
      case .notify(let to, let template): ("notify", ["to": .string(to.text), "template": .string(template)])
      case .webhook(let event): ("webhook", ["event": .string(event)])
      case .job(let kind): ("job", ["kind": .string(kind)])
      case .create(let type, let set): ("create", ["type": .string(type), "set": .object(set)])
      }
    try JSONObject([(kind, body)]).encode(to: encoder)
  }

  private struct Notify: Decodable {
    let effect: Effect

    init(from decoder: any Decoder) throws {
      let object = try StrictObject(decoder, keys: ["to", "template"])
      let text: String = try object.required("to")
      guard let recipient = Recipient(text) else {
        throw object.invalid(
          "to",
          "\(Quoted(text)) is not a recipient",
          hint: "write creator, role:NAME or field:COLUMN"
        )
      }
      effect = .notify(to: recipient, template: try object.required("template"))
    }
  }

  private struct Webhook: Decodable {
    let event: String

    init(from decoder: any Decoder) throws {
      event = try StrictObject(decoder, keys: ["event"]).required("event")
    }
  }

  private struct Job: Decodable {
    let kind: String

    init(from decoder: any Decoder) throws {
      kind = try StrictObject(decoder, keys: ["kind"]).required("kind")
    }
  }

  private struct Create: Decodable {
    let effect: Effect

    init(from decoder: any Decoder) throws {
      let object = try StrictObject(decoder, keys: ["type", "set"])
      effect = .create(type: try object.required("type"), set: try object.value("set", default: [:]))
    }
  }
}

extension Recipient {
  /// Parses `creator`, `role:admin` or `field:assigned_to`; nil for another text.
  package init?(_ text: String) {
    let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
    switch (parts.first, parts.count) {
    case ("creator", 1): self = .creator
    case ("role", 2) where Identifier.isWord(parts[1]): self = .role(parts[1])
    case ("field", 2) where Identifier.isWord(parts[1]): self = .field(parts[1])
    default: return nil
    }
  }

  /// The text that ``init(_:)`` parses.
  package var text: String {
    switch self {
    case .creator: "creator"
    case .role(let role): "role:\(role)"
    case .field(let column): "field:\(column)"
    }
  }
}
