internal import Domain
package import FoundationEssentials

/// The source of an actor's rights.
///
/// An actor without a user has no rights, unless it is an operator in their own name or the engine itself.
package enum Authority: Sendable, Equatable {
  /// An operator in their own name. No role restricts them.
  case `operator`
  /// The engine: timers, jobs and schedules. No role restricts them.
  case system
  /// A member: the rights of the member's role, restricted to the scopes of a token.
  case member(UUID)
  /// Nobody, without rights: no user, or a user for whom the actor does not act.
  case nobody

  /// True if no role restricts the actor.
  package var isUnrestricted: Bool { self == .operator || self == .system }

  init(of actor: Actor, user: UUID?) {
    switch (actor.kind, user) {
    case (.system, _): self = .system
    case (.operator, nil) where actor.person == nil: self = .operator
    case (_, let user?) where actor.person.map({ $0 == user }) ?? (actor.kind == .operator):
      self = .member(user)
    default: self = .nobody
    }
  }
}
