internal import Domain
package import FoundationEssentials
package import Postgres
internal import Secrets
internal import Store

/// A webhook of a company, without its key, and the state of its circuit.
package struct WebhookRow: RowDecodable, Sendable {
  package let id: UUID
  package let url: String
  package let events: [String]
  package let isActive: Bool
  package let createdAt: Instant
  /// The number of failed attempts since the receiver last took a delivery.
  package let failures: Int
  /// The reason for the last failure; nil if there is none.
  package let reason: String?
  /// The time since which deliveries are held back; nil if they are attempted.
  package let openSince: Instant?
  /// The time of the next attempt while deliveries are held back.
  package let retryAt: Instant?
  /// The time until which the previous secret signs too; nil if there is none.
  package let previousUntil: Instant?

  package init(row: inout RowReader) throws(PostgresError) {
    id = try row.next()
    url = try row.next()
    events = try row.next()
    isActive = try row.next()
    createdAt = try row.next()
    failures = try row.next()
    reason = try row.next()
    openSince = try row.next()
    retryAt = try row.next()
    previousUntil = try row.next()
  }
}

/// Adds, changes and removes the webhooks of a company, and reads their delivery log.
package struct WebhookAdministration: Sendable {
  /// The most webhooks of a company: every event enqueues a job for each.
  package static let most = 50

  let services: Services
  private let administration: CompanyAdministration

  package init(_ services: Services) {
    self.services = services
    administration = CompanyAdministration(services)
  }

  /// Returns the company's webhooks, oldest first. Requires `webhook.read`.
  package func list(_ acting: ActingContext) async throws -> [WebhookRow] {
    try await administration.read(acting, permission: "webhook.read") { tx, _ in
      try tx.rows(Self.query(acting.company.id, nil), as: WebhookRow.self)
    }
  }

  /// Returns one webhook. Requires `webhook.read`.
  ///
  /// - Throws: `not_found`.
  package func show(_ acting: ActingContext, id: UUID) async throws -> WebhookRow {
    try await administration.read(acting, permission: "webhook.read") { tx, _ in
      guard let found = try tx.first(Self.query(acting.company.id, id), as: WebhookRow.self) else {
        throw Self.missing
      }
      return found
    }
  }

  /// Requires `webhook.update`, before an address is resolved.
  package func requireUpdate(_ acting: ActingContext) async throws {
    try await administration.read(acting, permission: "webhook.update") { _, _ in }
  }

  /// The error for an id that names no webhook of the company.
  static var missing: DomainError { DomainError(.notFound, "there is no such webhook") }

  private static func query(_ company: UUID, _ id: UUID?) -> SQL {
    """
    select w.id, w.url, w.events, w.active, w.created_at, coalesce(k.failures, 0), k.reason, k.opened_at, k.retry_at,
      case when w.previous_until > now() then w.previous_until end
    from core.webhook w
    left join core.webhook_circuit k on k.company_id = w.company_id and k.webhook_id = w.id
    where w.company_id = \(company)
      and (\(nullable: id)::uuid is null or w.id = \(nullable: id))
    order by w.created_at, w.id
    """
  }

  /// Adds a webhook. Requires `webhook.update`.
  ///
  /// - Parameters:
  ///   - events: the names of the events to send, at least one.
  ///   - given: the signing secret, at least 16 bytes; nil generates 32 bytes.
  ///   - fault: returns the reason why a URL is invalid; nil if it is valid.
  /// - Returns: the webhook's id, and in hexadecimal the secret, which is shown only here.
  /// - Throws: `invalid_input` for the URL, the events or the secret; the errors of the key file, whose key
  ///   encrypts the secret.
  package func add(
    _ acting: ActingContext,
    url: String,
    events: [String],
    secret given: [UInt8]? = nil,
    fault: (String) -> String?
  ) async throws -> (id: UUID, secret: String) {
    if let reason = fault(url) { throw DomainError(.invalidInput, "the address cannot be used: \(reason)") }
    guard !events.isEmpty else { throw DomainError(.invalidInput, "a webhook names at least one event") }
    for event in events { try await KnownNames(services).require(event: event) }
    let secret = given ?? SecureRandom.bytes(32)
    guard secret.count >= 16 else {
      throw DomainError(.invalidInput, "a webhook's secret has at least 16 bytes, not \(secret.count)")
    }
    let id = services.ids.next()
    let place = Self.place(of: id, company: acting.company.id)
    let sealed = try SealedSecret.seal(secret, for: place, with: services.keys())
    return try await administration.administer(acting, permission: "webhook.update") { tx, _ in
      let count = try tx.value(
        "select count(*)::int from core.webhook w where w.company_id = \(acting.company.id)",
        as: Int.self
      )
      guard count < Self.most else {
        throw DomainError(
          .quotaExceeded,
          "the company has \(Self.most) webhooks",
          hint: "remove the webhooks that are no longer used"
        )
      }
      try tx.execute(
        """
        select core.create_webhook(\(acting.company.id), \(id), \(url), \(sealed), \(events), \(nullable: acting.user))
        """
      )
      let detail: JSONObject = ["url": .string(url), "events": .strings(events)]
      return (
        (id: id, secret: Hex.encode(secret)),
        [
          AuditEntry(
            action: "webhook.created",
            subjectType: "webhook",
            subjectID: id.text,
            detail: JSON(detail)
          )
        ]
      )
    }
  }

  /// Returns the id of a webhook that is named by its id, the beginning of its id, or its URL. A complete id is returned
  /// unchecked.
  ///
  /// - Throws: `not_found`, `invalid_input` if several match, `forbidden` without `webhook.read`.
  package func id(named text: String, _ acting: ActingContext) async throws -> UUID {
    if let id = UUID(text: text) { return id }
    let list = "fettle webhook list --company \(acting.company.slug)"
    return try Shortened("webhook", text, list: list)
      .find(in: try await self.list(acting), id: \.id, called: \.url).id
  }

  /// Returns the place to which a webhook's encrypted secret is bound.
  package static func place(of id: UUID, company: UUID) -> String { "webhook/\(company.text)/\(id.text)" }

  /// Removes a webhook. Its delivery log remains for 30 days. Requires `webhook.update`.
  ///
  /// - Throws: `not_found`.
  package func remove(_ acting: ActingContext, id: UUID) async throws {
    try await administration.administer(acting, permission: "webhook.update") { tx, _ in
      let company = acting.company.id
      // The lock keeps a delivery that is ending from opening the circuit again.
      try tx.execute("select from core.webhook where company_id = \(company) and id = \(id) for update")
      try tx.execute("delete from core.webhook_circuit where company_id = \(company) and webhook_id = \(id)")
      let count = try tx.execute("delete from core.webhook where company_id = \(company) and id = \(id)")
      guard count == 1 else { throw Self.missing }
      return ((), [AuditEntry(action: "webhook.removed", subjectType: "webhook", subjectID: id.text)])
    }
  }
}
