package import Domain
internal import FoundationEssentials
internal import Postgres
internal import Secrets
package import Store

/// Creates companies and changes their status.
package struct Companies: Sendable {
  /// A new company with its owner; nil if it was created without one.
  package struct Created: Sendable {
    package let company: CompanyRow
    package let owner: MemberRow?
  }

  /// A company with a summary of its members and apps.
  package struct Overview: Sendable {
    package let company: CompanyRow
    /// The number of active members.
    package let members: Int
    /// The email addresses of the company's active owners and admins.
    package let administrators: [String]
    /// The number of invites that can still be redeemed.
    package let openInvites: Int
    /// The apps that the company uses.
    package let apps: [String]
  }

  let services: Services
  private let administration: CompanyAdministration

  package init(_ services: Services) {
    self.services = services
    administration = CompanyAdministration(services)
  }

  /// Returns every company except the system company. Operators only.
  package func list() async throws -> [CompanyRow] {
    try await services.database.transaction { tx in try CompanyStore.all(tx) }
  }

  /// Returns the current state of one company. Requires `company.read`.
  package func show(_ acting: ActingContext) async throws -> Overview {
    let administrators = BuiltInRole.allCases.filter(\.isAdministrator).map(\.rawValue)
    return try await administration.read(acting, permission: "company.read") { tx, _ in
      guard let company = try CompanyStore.find(id: acting.company.id, tx) else {
        throw DomainError(.notFound)
      }
      let members = try MemberStore.all(company: company.id, includingRemoved: false, tx)
        .filter { $0.status == .active && !$0.isDisabled }
      let invites = try tx.value(
        """
        select count(*) from core.invite i
        where i.company_id = \(company.id) and i.revoked_at is null and i.expires_at > now() and i.used < i.max_uses
        """,
        as: Int.self
      )
      return Overview(
        company: company,
        members: members.count,
        administrators: members.filter { administrators.contains($0.role) }.map(\.email),
        openInvites: invites,
        apps: try CompanyAppStore.all(company: company.id, tx).filter(\.isEnabled).map(\.app)
      )
    }
  }

  /// Creates a company with its roles, its gate and its optional owner, in one transaction.
  ///
  /// - Parameters:
  ///   - slug: the unique name that commands use.
  ///   - timeZone: a name that PostgreSQL knows, such as `Europe/Stockholm`.
  ///   - apps: the apps that the company uses; nil for all installed apps, including later ones.
  ///   - owner: the first member, with the role `owner`; nil for none.
  /// - Throws: `invalid_time_zone`, or `not_found` for an app, with the closest name as a hint;
  ///   `already_exists` for a slug in use; `invalid_input` for a second system company.
  package func create(
    slug: String,
    name: String,
    kind: CompanyKind = .business,
    timeZone: String,
    apps: [String]? = nil,
    owner: (email: String, name: String)?,
    actor: Actor
  ) async throws -> Created {
    let slug = try Slug(parsing: slug)
    let display = try DisplayName(parsing: name)
    guard kind != .system else { throw DomainError(.invalidInput, "there is a system company already") }
    let ids = services.ids
    let id = ids.next()
    let person = try owner.map { try Person(email: $0.email, name: $0.name, newID: ids.next()) }
    let context = WorkContext(company: id, actor: actor, user: nil, requestID: ids.next())
    var options = TransactionOptions.inside(id)
    options.resolvesLostCommit = true
    let key = RequestKey.current
    return try await services.database.transaction(options) { tx in
      try key?.claim(tx)
      let zone = try TimeZoneCheck.require(timeZone, tx)
      for app in apps ?? [] { try CompanyApps.requireInstalled(app, tx) }
      if try CompanyStore.find(slug: slug.text, tx) != nil { throw Self.taken(slug) }
      do {
        try CompanyStore.insert(
          id: id,
          slug: slug.text,
          name: display.text,
          kind: kind.rawValue,
          timeZone: zone,
          apps: apps,
          tx
        )
      } catch let error as PostgresError where error.sqlState == .uniqueViolation {
        throw Self.taken(slug)  // a concurrent transaction created it
      }
      var member: MemberRow?
      if let person {
        // Only operators create companies.
        guard let user = try person.account(provenBy: .operator, tx) else { throw DomainError(.internal) }
        _ = try MemberStore.insert(
          company: id,
          user: user,
          role: BuiltInRole.owner.rawValue,
          invitedBy: nil,
          tx
        )
        member = try MemberStore.lock(company: id, user: user, tx)
      }
      let detail: JSONObject = ["slug": .string(slug.text), "kind": .string(kind.rawValue)]
      let entry = AuditEntry(
        action: "company.created",
        subjectType: "company",
        subjectID: id.text,
        detail: JSON(detail)
      )
      guard let company = try CompanyStore.find(id: id, tx) else { throw DomainError(.internal) }
      try AuditWriter.commit([(ids.next(), entry)], context: context, tx)
      return Created(company: company, owner: member)
    }
  }

  /// Suspends a company (read-only), archives it (no access), or activates it again.
  ///
  /// Members who hold `company.archive` can archive their company. Other changes require an operator.
  ///
  /// - Throws: `wrong_state` if the company has this status or cannot change to it, `forbidden`,
  ///   `invalid_input` for `erased`.
  package func setStatus(_ acting: ActingContext, to status: CompanyStatus) async throws {
    guard status != .erased else {
      throw DomainError(.invalidInput, "a change of status cannot erase a company")
    }
    try await administration.administer(acting, permission: "company.archive", for: .keepBooks) {
      tx,
      rights in
      if !rights.isUnrestricted {
        guard status == .archived else {
          throw DomainError(
            .forbidden,
            "only an operator can make a company \(status.rawValue)",
            hint: "leave out --as, or ask the operator"
          )
        }
        try rights.requireCompany(permits: .write)
      }
      let before = rights.companyStatus
      guard before != status else {
        throw DomainError(.wrongState, "\(acting.company.slug) is \(status.rawValue) already")
      }
      let after = try before.moved(to: status)
      if rights.isUnrestricted {
        _ = try tx.value("select core.cancel_erasure(\(acting.company.id))", as: Bool.self)
      }
      try CompanyStore.setStatus(after, id: acting.company.id, tx)
      let detail: JSONObject = ["from": .string(before.rawValue), "to": .string(after.rawValue)]
      let entry = AuditEntry(
        action: "company.status_changed",
        subjectType: "company",
        subjectID: acting.company.id.text,
        detail: JSON(detail)
      )
      return ((), [entry])
    }
  }

  private static func taken(_ slug: Slug) -> DomainError {
    DomainError(.alreadyExists, "the company \(slug.text) exists already", hint: "choose another short name")
  }
}
