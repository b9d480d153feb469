internal import Domain
package import FoundationEssentials
package import Postgres
internal import Secrets
internal import Store

extension WebhookAdministration {
  /// The time for which the previous secret signs too, in hours.
  package static let overlapHours = 24

  /// Changes a webhook; nil keeps a value. Deliveries that were held back are attempted again. Requires
  /// `webhook.update`.
  ///
  /// - Parameters:
  ///   - url: the new URL. The secret stays the same.
  ///   - fault: returns the reason why a URL is invalid; nil if it is valid.
  /// - Throws: `missing_fields` if all values are nil, `invalid_input` for an invalid URL, without events or for an
  ///   unknown event, `not_found`.
  package func change(
    _ acting: ActingContext,
    id: UUID,
    url: String? = nil,
    events: [String]? = nil,
    isActive: Bool? = nil,
    fault: (String) -> String? = { _ in nil }
  ) async throws {
    guard url != nil || events != nil || isActive != nil else {
      throw DomainError(.missingFields, "nothing to change")
    }
    if let url, let reason = fault(url) {
      throw DomainError(.invalidInput, "the address cannot be used: \(reason)")
    }
    if events?.isEmpty == true { throw DomainError(.invalidInput, "a webhook names at least one event") }
    for event in events ?? [] { try await KnownNames(services).require(event: event) }
    try await CompanyAdministration(services).administer(acting, permission: "webhook.update") { tx, _ in
      let company = acting.company.id
      let count = try tx.execute(
        """
        update core.webhook
        set url = coalesce(\(nullable: url), url),
          events = case when \(events == nil) then events else \(events ?? []) end,
          active = coalesce(\(nullable: isActive), active), updated_at = now()
        where company_id = \(company) and id = \(id)
        """
      )
      guard count == 1 else { throw Self.missing }
      try tx.execute("delete from core.webhook_circuit where company_id = \(company) and webhook_id = \(id)")
      var detail: JSONObject = [:]
      if let url { detail["url"] = .string(url) }
      if let events { detail["events"] = .strings(events) }
      if let isActive { detail["active"] = .bool(isActive) }
      return ((), [Self.audit("webhook.changed", id, detail)])
    }
  }

  /// Replaces the signing secret by a new random one. For 24 hours, deliveries are signed with both, so that the
  /// receiver can change it without refusing any. A second rotation ends the use of the first secret at once.
  /// Requires `webhook.update`.
  ///
  /// - Returns: the new secret in hexadecimal, which is shown only here, and the end of the previous one.
  /// - Throws: `not_found`; the errors of the key file.
  package func rotate(_ acting: ActingContext, id: UUID) async throws -> (
    secret: String, previousUntil: Instant
  ) {
    let secret = SecureRandom.bytes(32)
    let place = Self.place(of: id, company: acting.company.id)
    let sealed = try SealedSecret.seal(secret, for: place, with: services.keys())
    let hours = Double(Self.overlapHours)
    return try await CompanyAdministration(services).administer(acting, permission: "webhook.update") {
      tx,
      _ in
      let until = try tx.value(
        """
        select core.rotate_webhook_secret(\(acting.company.id), \(id), \(sealed), make_interval(secs => \(hours * 3600)))
        """,
        as: Instant?.self
      )
      guard let until else { throw Self.missing }
      return (
        (secret: Hex.encode(secret), previousUntil: until),
        [Self.audit("webhook.secret_rotated", id, ["previous_until": .string(until.description)])]
      )
    }
  }

  private static func audit(_ action: String, _ id: UUID, _ detail: JSONObject) -> AuditEntry {
    AuditEntry(action: action, subjectType: "webhook", subjectID: id.text, detail: JSON(detail))
  }
}
