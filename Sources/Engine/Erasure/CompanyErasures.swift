package import Domain
package import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

/// Requests and cancels erasures of companies. For operators only.
///
/// A requested erasure waits for a grace period, during which the company is archived and can be activated again. Then a
/// job of the system company erases it, or the operator's command at once; see ``CompanyErasureRun``.
package struct CompanyErasures: Sendable {
  /// The kind of the job.
  package static let kind = "company.erase"

  /// The input of the job. It names the erasure, because jobs are kept after the company is gone.
  package struct Payload: Codable, Sendable {
    package let erasure: UUID
  }

  /// An erasure that was requested.
  package struct Request: Sendable {
    package let id: UUID
    package let due: Instant
  }

  private let services: Services

  package init(_ services: Services) { self.services = services }

  /// Archives the company, and requests its erasure after a grace period; zero for at once.
  ///
  /// - Throws: `forbidden` for a member, `not_found`.
  package func request(_ acting: ActingContext, after grace: Duration) async throws -> Request {
    let ids = services.ids
    let company = acting.company
    return try await CompanyAdministration(services).administer(acting, permission: nil, for: .keepBooks) {
      tx,
      rights in
      guard rights.isUnrestricted else {
        throw DomainError(
          .forbidden,
          "only an operator can erase a company",
          hint: "leave out --as, or ask the operator"
        )
      }
      var audit: [AuditEntry] = []
      let before = rights.companyStatus
      if before != .archived {
        try CompanyStore.setStatus(try before.moved(to: .archived), id: company.id, tx)
        audit.append(
          Self.entry("company.status_changed", ["from": .string(before.rawValue), "to": "archived"], company)
        )
      }
      let due = try tx.value("select now() + make_interval(secs => \(grace.seconds))", as: Instant.self)
      let id = try tx.value(
        "select core.request_erasure(\(company.id), \(due), \(acting.actor.name ?? "operator"))",
        as: UUID.self
      )
      audit.append(Self.entry("company.erasure_requested", ["due": .string(due.rfc3339)], company))
      // A command that erases at once may be interrupted: the job completes what it has left.
      let start =
        grace == .zero ? try tx.value("select now() + interval '10 minutes'", as: Instant.self) : due
      let job = NewJob(
        id: ids.next(),
        kind: Self.kind,
        runAt: start,
        payload: try JSON(encoding: Payload(erasure: id))
      )
      try SystemCompany.inside(tx, of: company.id) {
        try JobOutbox.write([job], company: SystemCompany.id, traceID: nil, tx)
        try SystemCompany.write(
          "company.erasure_requested",
          erasure: id,
          ["due": .string(due.rfc3339)],
          by: acting.actor,
          tx
        )
      }
      return (Request(id: id, due: due), audit)
    }
  }

  /// Cancels the requested erasure of a company, which stays archived.
  ///
  /// - Throws: `wrong_state` if none is waiting.
  package func cancel(_ acting: ActingContext) async throws {
    try await CompanyAdministration(services).administer(acting, permission: nil, for: .keepBooks) {
      tx,
      rights in
      guard rights.isUnrestricted else {
        throw DomainError(.forbidden, "only an operator can cancel an erasure")
      }
      guard try tx.value("select core.cancel_erasure(\(acting.company.id))", as: Bool.self) else {
        throw DomainError(.wrongState, "no erasure of \(acting.company.slug) is waiting")
      }
      return ((), [Self.entry("company.erasure_cancelled", [:], acting.company)])
    }
  }

  private static func entry(_ action: String, _ detail: JSONObject, _ company: CompanyRow) -> AuditEntry {
    AuditEntry(action: action, subjectType: "company", subjectID: company.id.text, detail: JSON(detail))
  }
}
