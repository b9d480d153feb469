package import Domain
internal import FoundationEssentials
internal import Postgres
package import Store

/// A record read in the first round trip, in the form that the kernel requires.
struct RecordReading {
  let locked: LockedRow?
  let snapshot: RecordSnapshot
  /// The results of the guards and conditions, in query order.
  let guards: [Bool?]

  init(type: RecordType, locked: LockedRow?, viewed: ViewedRow?, rights: Rights) throws {
    let document = try viewed.map { try $0.document.value().object ?? [:] }
    self.init(type: type, locked: locked, document: document, guards: viewed?.guards ?? [], rights: rights)
  }

  /// - Parameters:
  ///   - document: the columns that the decision reads; nil if the actor sees no such record.
  ///   - guards: the results of the guards and conditions, in query order.
  ///   - transition: the transition whose guards they are; nil if they are those of all transitions.
  init(
    type: RecordType,
    locked: LockedRow?,
    document: JSONObject?,
    guards: [Bool?],
    of transition: String? = nil,
    rights: Rights
  ) {
    self.locked = locked
    let fields = document ?? [:]
    let owners =
      ([locked?.createdBy] + type.definition.ownerFields.map { fields[$0]?.string.flatMap(UUID.init) })
      .compactMap { $0 }
    self.guards = guards
    snapshot = RecordSnapshot(
      isVisible: locked != nil && document != nil && rights.canRead(type, ownedBy: owners),
      status: locked?.status ?? "",
      version: locked?.version ?? 0,
      owners: owners,
      fields: fields,
      guards: transition.map { [$0: guards] } ?? Self.byTransition(type, guards)
    )
  }

  /// Returns the results of the guards by transition name.
  static func byTransition(_ type: RecordType, _ answers: [Bool?]) -> [String: [Bool?]] {
    var rest = answers[...]
    var result: [String: [Bool?]] = [:]
    for transition in type.workflow?.transitions ?? [] {
      result[transition.name] = Array(rest.prefix(transition.guards.count))
      rest = rest.dropFirst(transition.guards.count)
    }
    return result
  }
}

extension Rights {
  /// Returns the rights in the form that the kernel requires. An operator in their own name holds all
  /// permissions of the type.
  package func kernel(_ acting: ActingContext, _ type: RecordType) -> ActorRights {
    guard isUnrestricted else { return actorRights }
    return ActorRights(
      actor: acting.actor,
      company: companyStatus,
      permissions: PermissionSet(type.definition.permissions(with: type.workflow))
    )
  }
}
