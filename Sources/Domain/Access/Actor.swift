package import FoundationEssentials

/// The actor of a change: a person, a device or token that acts for a person, the operator, or the engine.
package struct Actor: Sendable, Hashable, Codable {
  /// The kind of actor.
  package let kind: Kind
  /// The id of the user, device or token; nil for the operator and the system.
  package let id: UUID?
  /// The user on whose behalf the actor acts; nil if the actor is that user, or acts for nobody.
  package let onBehalfOf: UUID?
  /// The operator's account on the machine, such as `root`, the part of the system, such as `timers`, or the name of the
  /// receiver of a grant; otherwise nil.
  package let name: String?

  /// A kind of actor.
  package enum Kind: String, Sendable, Codable, CaseIterable {
    /// A person in a session.
    case member
    /// A device that uploads the changes of its user.
    case device
    /// A program with an API token.
    case token
    /// The operator, with the `fettle` command; possibly on behalf of a member.
    case `operator`
    /// The engine itself: timers, jobs and schedules.
    case system
  }

  private init(kind: Kind, id: UUID?, onBehalfOf: UUID?, name: String?) {
    self.kind = kind
    self.id = id
    self.onBehalfOf = onBehalfOf
    self.name = name
  }

  /// Returns a person in a session.
  package static func member(_ user: UUID) -> Actor {
    Actor(kind: .member, id: user, onBehalfOf: nil, name: nil)
  }

  /// Returns a device that acts for its user.
  package static func device(_ id: UUID, of user: UUID) -> Actor {
    Actor(kind: .device, id: id, onBehalfOf: user, name: nil)
  }

  /// Returns a token that acts for its creator.
  package static func token(_ id: UUID, of user: UUID) -> Actor {
    Actor(kind: .token, id: id, onBehalfOf: user, name: nil)
  }

  /// Returns a member to whom a user has granted access, acting for that user under their own name.
  package static func receiver(_ grant: UUID, of user: UUID, named name: String) -> Actor {
    Actor(kind: .token, id: grant, onBehalfOf: user, name: name)
  }

  /// Returns the operator, optionally on behalf of a user.
  package static func `operator`(_ account: String, as user: UUID? = nil) -> Actor {
    Actor(kind: .operator, id: nil, onBehalfOf: user, name: account)
  }

  /// Returns a part of the engine, such as `timers`.
  package static func system(_ part: String) -> Actor {
    Actor(kind: .system, id: nil, onBehalfOf: nil, name: part)
  }

  /// The user recorded in `created_by` and in the history: the actor, or the user on whose behalf it acts.
  /// Nil if there is neither.
  package var person: UUID? { kind == .member ? id : onBehalfOf }
}
