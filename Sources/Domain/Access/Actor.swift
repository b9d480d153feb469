package import FoundationEssentials

/// Who does something: a person, something that acts for one, the operator, or the engine itself.
package struct Actor: Sendable, Hashable, Codable {
  /// What kind of actor it is.
  package let kind: Kind
  /// Which member, device or token; nil for the operator and the system.
  package let id: UUID?
  /// The person for whom it acts; nil when it acts for nobody, or is the person.
  package let onBehalfOf: UUID?
  /// The operator's account on the machine, or the part of the system: `root`, `timers`.
  package let name: String?

  /// What acts.
  package enum Kind: String, Sendable, Codable, CaseIterable {
    /// A person in a session.
    case member
    /// A phone that pushes what its user did.
    case device
    /// A program with an API token.
    case token
    /// Somebody at the `fettle` command, with or without acting as a member.
    case `operator`
    /// Timers, jobs and schedules.
    case system
  }

  private init(kind: Kind, id: UUID?, onBehalfOf: UUID?, name: String?) {
    self.kind = kind
    self.id = id
    self.onBehalfOf = onBehalfOf
    self.name = name
  }

  /// A person in a session.
  package static func member(_ user: UUID) -> Actor {
    Actor(kind: .member, id: user, onBehalfOf: nil, name: nil)
  }

  /// A device that acts for its user.
  package static func device(_ id: UUID, of user: UUID) -> Actor {
    Actor(kind: .device, id: id, onBehalfOf: user, name: nil)
  }

  /// A token that acts for whoever made it.
  package static func token(_ id: UUID, of user: UUID) -> Actor {
    Actor(kind: .token, id: id, onBehalfOf: user, name: nil)
  }

  /// The operator, perhaps acting as a member.
  package static func `operator`(_ account: String, as user: UUID? = nil) -> Actor {
    Actor(kind: .operator, id: nil, onBehalfOf: user, name: account)
  }

  /// A part of the engine.
  package static func system(_ part: String) -> Actor {
    Actor(kind: .system, id: nil, onBehalfOf: nil, name: part)
  }

  /// The person behind it, who becomes `created_by` and stands in history; nil when there is none.
  package var person: UUID? { kind == .member ? id : onBehalfOf }
}
