package import Domain
package import FoundationEssentials
package import Postgres
internal import Secrets
internal import Store

/// Links that show one record to people without an account.
///
/// A link shows what its maker may read at the moment when it is opened: it ends with their membership.
package struct RecordLinks: Sendable {
  /// The longest life of a link in days.
  package static let mostDays = 365
  /// The most links of a record that are valid at a time.
  private static let mostLinks = 20

  /// A link as its maker sees it.
  package struct Row: RowDecodable, Sendable {
    package let id: UUID
    package let maker: String
    package let createdAt: Instant
    package let expiresAt: Instant
    package let revokedAt: Instant?

    package init(row: inout RowReader) throws(PostgresError) {
      id = try row.next()
      maker = try row.next()
      createdAt = try row.next()
      expiresAt = try row.next()
      revokedAt = try row.next()
    }
  }

  /// What a link opens.
  package struct Opened: Sendable {
    package let acting: ActingContext
    package let type: String
    package let record: UUID
    package let expiresAt: Instant
  }

  private struct Found: RowDecodable {
    let type: String
    let record: UUID
    let maker: UUID
    let expiresAt: Instant

    init(row: inout RowReader) throws(PostgresError) {
      type = try row.next()
      record = try row.next()
      maker = try row.next()
      expiresAt = try row.next()
    }
  }

  private let services: Services
  private let records: Records
  private let administration: CompanyAdministration

  package init(_ services: Services, _ records: Records) {
    self.services = services
    self.records = records
    administration = CompanyAdministration(services)
  }

  /// Makes a link to a record that the actor may read and export.
  ///
  /// - Returns: the text of the link, which is shown only here.
  /// - Throws: `not_found`, `forbidden`, `invalid_input` for a life outside 1 to ``mostDays`` days.
  package func make(_ acting: ActingContext, type name: String, record: UUID, days: Int) async throws
    -> String
  {
    guard (1...Self.mostDays).contains(days) else {
      throw DomainError(.invalidInput, "a link lives for 1 to \(Self.mostDays) days")
    }
    let own = try await requireShareable(acting, type: name, record: record)
    let company = acting.company.id
    let id = services.ids.next()
    let link = RecordLinkText.make(company: company, link: id)
    try await administration.administer(acting, permission: nil) { tx, _ in
      let count = try tx.value(
        """
        select count(*) from core.record_link l
        where l.company_id = \(company) and l.record_type = \(name) and l.record_id = \(record)
          and l.revoked_at is null and l.expires_at > now()
        """,
        as: Int.self
      )
      guard count < Self.mostLinks else {
        throw DomainError(
          .quotaExceeded,
          "the record has \(Self.mostLinks) links",
          hint: "end one of them first"
        )
      }
      try tx.execute(
        """
        insert into core.record_link (company_id, id, record_type, record_id, created_by, secret_hash, expires_at)
        values (
          \(company), \(id), \(name), \(record), \(own), \(link.hash), now() + make_interval(days => \(Int32(clamping: days)))
        )
        """
      )
      let detail: JSONObject = ["link": .string(id.text), "days": .integer(days)]
      return (
        (),
        [AuditEntry(action: "record.shared", subjectType: name, subjectID: record.text, detail: JSON(detail))]
      )
    }
    return link.text
  }

  /// Returns the links to a record that the actor may share, newest first.
  package func list(_ acting: ActingContext, type name: String, record: UUID) async throws -> [Row] {
    _ = try await requireShareable(acting, type: name, record: record)
    return try await administration.read(acting, permission: nil) { tx, _ in
      try tx.rows(
        """
        select l.id, coalesce(u.name, ''), l.created_at, l.expires_at, l.revoked_at
        from core.record_link l
        left join core.app_user u on u.id = l.created_by
        where l.company_id = \(acting.company.id) and l.record_type = \(name) and l.record_id = \(record)
        order by l.created_at desc limit 50
        """,
        as: Row.self
      )
    }
  }

  /// Ends a link.
  ///
  /// - Throws: `not_found` unless it leads to the record and is valid.
  package func revoke(_ acting: ActingContext, type name: String, record: UUID, link: UUID) async throws {
    _ = try await requireShareable(acting, type: name, record: record)
    try await administration.administer(acting, permission: nil) { tx, _ in
      let count = try tx.execute(
        """
        update core.record_link l set revoked_at = now()
        where l.company_id = \(acting.company.id) and l.id = \(link) and l.record_type = \(name)
          and l.record_id = \(record) and l.revoked_at is null
        """
      )
      guard count > 0 else { throw DomainError(.notFound, "there is no such link") }
      let detail: JSONObject = ["link": .string(link.text)]
      return (
        (),
        [
          AuditEntry(
            action: "record.unshared",
            subjectType: name,
            subjectID: record.text,
            detail: JSON(detail)
          )
        ]
      )
    }
  }

  /// Opens a link.
  ///
  /// - Throws: `not_found` for one that is mistyped, unknown, revoked or expired, without saying which.
  package func open(_ text: String) async throws -> Opened {
    let refusal = DomainError(.notFound, "the link leads nowhere", hint: "ask for a new one")
    guard let link = try? RecordLinkText.parse(text) else { throw refusal }
    let found = try await services.database.transaction(
      .inside(link.company, user: nil, readOnly: true)
    ) { tx -> (Found, CompanyRow)? in
      let row = try tx.first(
        """
        select l.record_type, l.record_id, l.created_by, l.expires_at from core.record_link l
        where l.company_id = \(link.company) and l.id = \(link.link) and l.secret_hash = \(link.hash)
          and l.revoked_at is null and l.expires_at > now()
        """,
        as: Found.self
      )
      guard let row, let company = try CompanyStore.find(id: link.company, tx) else { return nil }
      return (row, company)
    }
    guard let (row, company) = found, let type = try? records.catalogue.type(row.type) else { throw refusal }
    // The names of what the record refers to belong to it.
    let targets = type.definition.references.map(\.target).filter { !$0.hasPrefix("core.") }
    let scopes = try PermissionSet(([row.type] + targets).map { try Permission(parsing: "\($0).read") })
    return Opened(
      acting: ActingContext(
        company: company,
        actor: .token(link.link, of: row.maker),
        user: row.maker,
        scopes: scopes
      ),
      type: row.type,
      record: row.record,
      expiresAt: row.expiresAt
    )
  }

  /// Requires that the actor may read a record and give it away, as an export does.
  ///
  /// - Returns: the acting member.
  private func requireShareable(_ acting: ActingContext, type name: String, record: UUID) async throws -> UUID
  {
    guard let user = acting.user else {
      throw DomainError(.invalidInput, "an operator in their own name is no member", hint: "use --as")
    }
    try await records.requireReadable(acting, type: name, id: record)
    try await administration.read(acting, permission: nil) { _, rights in
      guard rights.holds("\(name).export") || rights.holds("\(name).export.own") else {
        throw DomainError(.forbidden, "sharing \(name) requires the right to export it")
      }
    }
    return user
  }
}
