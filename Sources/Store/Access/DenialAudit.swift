package import Domain
internal import FoundationEssentials
package import Postgres

/// Records denied attempts of members and tokens in the audit, as `access.denied`.
///
/// A denied command rolls back, so the entry is written by a transaction of its own. There is at most one
/// entry per hour for an actor, an error code and a permission: a flood of attempts cannot fill the audit. The
/// entry contains no text of the request.
package struct DenialAudit: Sendable {
  private let database: Database

  package init(_ database: Database) {
    self.database = database
  }

  /// Runs a body. If it is denied, writes the entry and passes on the error.
  package func watching<Value: Sendable>(
    _ context: WorkContext,
    _ body: () async throws -> Value
  ) async throws -> Value {
    do {
      return try await body()
    } catch let error as DomainError where error.category == .denied {
      await record(error.code, permission: error.details["permission"]?.string, context)
      throw error
    }
  }

  /// Writes the entry for a denied attempt, unless the system or an operator in their own name made it.
  package func record(_ code: ErrorCode, permission: String? = nil, _ context: WorkContext) async {
    let isOperatorAlone = context.actor.kind == .operator && context.user == nil
    guard context.actor.kind != .system, !isOperatorAlone else { return }
    let detail: JSONObject = ["code": .string(code.rawValue)]
    let entry = AuditEntry(
      action: "access.denied",
      subjectType: permission == nil ? "" : "permission",
      subjectID: permission ?? "",
      detail: JSON(detail)
    )
    let part = "\(context.actor.label)\n\(code.rawValue)\n\(permission ?? "")"
    // Without the entry, the actor still gets the denial, which matters more than its record. A rehearsal is denied too.
    _ = try? await Rehearsal.$isOn.withValue(false) {
      try await database.transaction(.inside(context.company, user: context.user)) { tx in
        let id = try tx.value(
          """
          select encode(substring(sha256(convert_to(
            \(part) || chr(10) || date_trunc('hour', now(), 'UTC')::text, 'UTF8')) for 16), 'hex')::uuid
          """,
          as: UUID.self
        )
        try tx.execute("\(AuditWriter.insert(entry, id: id, context: context)) on conflict do nothing")
      }
    }
  }
}
