package import FoundationEssentials

/// The actor of a change: a person, a device or token acting for one, the operator, or the engine itself.
package struct Actor: Sendable, Hashable, Codable {
  /// The kind of actor.
  package let kind: Kind
  /// The id of the member, device or token; nil for the operator and the system.
  package let id: UUID?
  /// The member on whose behalf it acts; nil if there is none or it is the actor.
  package let onBehalfOf: UUID?
  /// The operator's account on the machine, or the part of the system: `root`, `timers`.
  package let name: String?

  /// A kind of actor.
  package enum Kind: String, Sendable, Codable, CaseIterable {
    /// A person in a session.
    case member
    /// A device that pushes its user's changes.
    case device
    /// A program with an API token.
    case token
    /// A user of the `fettle` command, on behalf of a member or not.
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

  /// A token that acts for its creator.
  package static func token(_ id: UUID, of user: UUID) -> Actor {
    Actor(kind: .token, id: id, onBehalfOf: user, name: nil)
  }

  /// The operator, optionally on behalf of a member.
  package static func `operator`(_ account: String, as user: UUID? = nil) -> Actor {
    Actor(kind: .operator, id: nil, onBehalfOf: user, name: account)
  }

  /// A part of the engine.
  package static func system(_ part: String) -> Actor {
    Actor(kind: .system, id: nil, onBehalfOf: nil, name: part)
  }

  /// The member recorded as `created_by` and in the history; nil if there is none.
  package var person: UUID? { kind == .member ? id : onBehalfOf }
}
