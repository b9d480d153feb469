package import Domain
internal import FoundationEssentials
internal import Postgres
internal import Secrets
package import Store

/// Companies, from sign-up to suspension.
package struct Companies: Sendable {
  /// A company as it was made, with its owner.
  package struct Created: Sendable {
    package let company: CompanyRow
    package let owner: MemberRow?
  }

  private let services: Services
  private let office: Office

  package init(_ services: Services) {
    self.services = services
    office = Office(services)
  }

  /// Every company, for operators.
  package func list() async throws -> [CompanyRow] {
    try await services.database.transaction { tx in try CompanyStore.all(tx) }
  }

  /// Makes a company with its roles, its gate and, if named, its owner: all in one transaction.
  ///
  /// - Parameters:
  ///   - slug: how commands call it; unique.
  ///   - timeZone: a name PostgreSQL knows, such as `Europe/Stockholm`.
  ///   - owner: address and name of the first member, who may do everything.
  /// - Throws: `invalid_time_zone` with the closest name, `already_exists`.
  package func create(
    slug: String, name: String, kind: CompanyKind = .business, timeZone: String,
    owner: (email: String, name: String)?, actor: Actor
  ) async throws -> Created {
    let slug = try Slug(parsing: slug)
    let display = try DisplayName(parsing: name)
    let address = try owner.map { try EmailAddress(parsing: $0.email) }
    let ownerName = try owner.map { try DisplayName(parsing: $0.name) }
    let ids = services.ids
    let id = ids.next()
    let newUser = ids.next()
    let context = WorkContext(company: id, actor: actor, user: nil, requestID: ids.next())
    return try await services.database.transaction(.inside(id)) { tx in
      try Self.check(timeZone, tx)
      if try CompanyStore.find(slug: slug.text, tx) != nil {
        throw DomainError(
          .alreadyExists, "there is a company \(slug.text) already", hint: "choose another short name")
      }
      try CompanyStore.insert(
        id: id, slug: slug.text, name: display.text, kind: kind.rawValue, timeZone: timeZone, tx)
      var member: MemberRow?
      if let address, let ownerName {
        let known = try MemberStore.user(email: address.key, tx)
        let user = known?.id ?? newUser
        if known == nil {
          try MemberStore.insertUser(id: user, email: address.text, name: ownerName.text, kind: "person", tx)
        }
        _ = try MemberStore.insert(company: id, user: user, role: "owner", invitedBy: nil, tx)
        member = try MemberStore.lock(company: id, user: user, tx)
      }
      let detail: JSONObject = ["slug": .string(slug.text), "kind": .string(kind.rawValue)]
      let entry = AuditEntry(
        action: "company.created", subjectType: "company", subjectID: id.text, detail: JSON(detail))
      try tx.execute(AuditWriter.insert(entry, id: ids.next(), context: context))
      guard let company = try CompanyStore.find(id: id, tx) else { throw DomainError(.internal) }
      return Created(company: company, owner: member)
    }
  }

  /// Suspends a company (it can be read), archives it (nobody gets in), or makes it active again.
  package func setStatus(_ seat: Seat, to status: CompanyStatus) async throws {
    try await office.administer(seat, permission: "company.archive", whileSuspended: true) { tx, rights in
      guard rights.access.companyStatus != status.rawValue else {
        throw DomainError(.wrongState, "\(seat.company.slug) is \(status.rawValue) already")
      }
      try CompanyStore.setStatus(status.rawValue, id: seat.company.id, tx)
      let detail: JSONObject = ["from": .string(rights.access.companyStatus), "to": .string(status.rawValue)]
      return (
        (),
        [
          AuditEntry(
            action: "company.status_changed", subjectType: "company", subjectID: seat.company.id.text,
            detail: JSON(detail))
        ]
      )
    }
  }

  private static func check(_ timeZone: String, _ tx: Transaction) throws {
    guard try !CompanyStore.knowsTimeZone(timeZone, tx) else { return }
    let closest = Suggestion.closest(to: timeZone, among: try CompanyStore.timeZones(tx))
    throw DomainError(
      .invalidTimeZone, "there is no time zone \(Quoted(timeZone))",
      hint: closest.map { "did you mean \($0)?" } ?? "write it like Europe/Stockholm or America/New_York")
  }
}
