internal import Domain
package import FoundationEssentials
package import Postgres

/// An audit entry: a change to people, roles and settings, or any act of an operator.
package struct AuditEntry: Sendable {
  /// The action, such as `member.role_changed`.
  package let action: String
  /// The kind of the target, such as `member`.
  package let subjectType: String
  /// The target's identifier.
  package let subjectID: String
  /// Further details; never a secret.
  package let detail: JSON

  package init(action: String, subjectType: String, subjectID: String, detail: JSON = JSON(text: "{}")) {
    self.action = action
    self.subjectType = subjectType
    self.subjectID = subjectID
    self.detail = detail
  }

  /// True if the act may change what a device may read, or what it has to do.
  package var concernsDevices: Bool {
    ["sync.", "device.", "member.", "role."].contains { action.hasPrefix($0) }
  }
}

/// The append-only audit of a company.
package enum AuditWriter {
  /// Returns the statement that writes one entry.
  package static func insert(_ entry: AuditEntry, id: UUID, context: WorkContext) -> SQL {
    """
    insert into core.audit
      (company_id, id, at, actor_kind, actor_id, actor_name, on_behalf_of, action, subject_type, subject_id, detail,
       request_id)
    values (\(context.company), \(id), now(), \(context.actor.kind.rawValue), \(nullable: context.actor.id),
            \(context.actor.name ?? ""), \(nullable: context.actor.onBehalfOf), \(entry.action), \(entry.subjectType),
            \(entry.subjectID), \(entry.detail), \(context.requestID))
    """
  }

  /// Writes entries and commits them together with the audited changes, in one round trip.
  ///
  /// If the answer to the commit is lost, the last entry proves that the transaction was committed. Without
  /// entries nothing was changed, and this does nothing.
  package static func commit(
    _ entries: [(id: UUID, entry: AuditEntry)],
    context: WorkContext,
    _ tx: Transaction
  ) throws {
    guard let last = entries.last else { return }
    let proof: SQL = "select from core.audit a where a.company_id = \(context.company) and a.id = \(last.id)"
    try tx.commit(provenBy: proof) { pipeline in
      for (id, entry) in entries { pipeline.execute(insert(entry, id: id, context: context)) }
    }
  }
}
