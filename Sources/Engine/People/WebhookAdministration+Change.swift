internal import Domain
package import FoundationEssentials
internal import Postgres
internal import Store

extension WebhookAdministration {
  /// Changes the events of a webhook, and activates or deactivates it. Deliveries that were held back are
  /// attempted again. Requires `company.update`.
  ///
  /// - Throws: `invalid_input` without events or for an unknown event, `not_found`.
  package func change(_ acting: ActingContext, id: UUID, events: [String], isActive: Bool) async throws {
    guard !events.isEmpty else { throw DomainError(.invalidInput, "a webhook names at least one event") }
    for event in events { try await KnownNames(services).require(event: event) }
    try await CompanyAdministration(services).administer(acting, permission: "company.update") { tx, _ in
      let count = try tx.execute(
        """
        update core.webhook set events = \(events), active = \(isActive), updated_at = now()
        where company_id = \(acting.company.id) and id = \(id)
        """
      )
      guard count == 1 else { throw DomainError(.notFound, "there is no such webhook") }
      try tx.execute(
        "delete from core.webhook_circuit where company_id = \(acting.company.id) and webhook_id = \(id)"
      )
      let detail: JSONObject = ["events": .strings(events), "active": .bool(isActive)]
      let entry = AuditEntry(
        action: "webhook.changed",
        subjectType: "webhook",
        subjectID: id.text,
        detail: JSON(detail)
      )
      return ((), [entry])
    }
  }
}
