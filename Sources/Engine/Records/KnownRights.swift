internal import Domain
internal import FoundationEssentials
internal import Store
internal import Synchronization

/// Remembers the permissions that actors had in their last transaction, to choose the statements of the next one.
///
/// It grants nothing: every transaction reads the rights, and a command that guessed wrong asks again.
final class KnownRights: Sendable {
  private struct Key: Hashable {
    let company: UUID
    let actor: Actor
    let user: UUID?
  }

  /// The maximum number of remembered actors. At this number all are forgotten.
  private static let most = 10_000

  private let actors = Mutex<[Key: PermissionSet]>([:])

  /// Returns true if the actor probably holds a permission. An unknown actor is assumed to hold all.
  func mayHold(_ permission: String, _ acting: ActingContext) -> Bool {
    guard !acting.authority.isUnrestricted,
      let known = actors.withLock({ $0[Self.key(acting)] }),
      let permission = try? Permission(parsing: permission)  // an invalid name is held by nobody
    else { return true }
    return known.contains(permission)
  }

  /// Remembers the rights that a transaction read.
  func keep(_ rights: Rights, of acting: ActingContext) {
    guard !rights.isUnrestricted else { return }
    actors.withLock { actors in
      if actors.count >= Self.most { actors = [:] }
      actors[Self.key(acting)] = rights.granted
    }
  }

  private static func key(_ acting: ActingContext) -> Key {
    Key(company: acting.company.id, actor: acting.actor, user: acting.user)
  }
}
