internal import Domain
package import FoundationEssentials
package import Postgres
internal import Secrets
internal import Store

/// Lists with filters that people have saved, and the reports on the company's dashboard.
package struct SavedViews: Sendable {
  package enum Kind: String, Sendable {
    case list, report
  }

  /// A saved view.
  package struct Row: RowDecodable, Sendable {
    package let id: UUID
    /// True if everybody in the company sees it.
    package let isShared: Bool
    /// The record type of a list, or the name of a report.
    package let subject: String
    package let name: String
    /// Filters and order, as in an address.
    package let query: String

    package init(row: inout RowReader) throws(PostgresError) {
      id = try row.next()
      isShared = try row.next()
      subject = try row.next()
      name = try row.next()
      query = try row.next()
    }
  }

  /// The most views of a person, and of a company, of one kind.
  private static let most = 100

  private let services: Services
  private let administration: CompanyAdministration

  package init(_ services: Services) {
    self.services = services
    administration = CompanyAdministration(services)
  }

  /// Returns the statement for the views that a person sees, shared ones first.
  ///
  /// - Parameter subject: nil for all subjects.
  static func query(_ acting: ActingContext, _ kind: Kind, subject: String? = nil) -> SQL {
    """
    select v.id, v.owner_id is null, v.subject, v.name, v.query from core.saved_view v
    where v.company_id = \(acting.company.id) and v.kind = \(kind.rawValue)
      and (\(nullable: subject)::text is null or v.subject = \(nullable: subject))
      and (v.owner_id is null or v.owner_id = \(nullable: acting.user))
    order by v.owner_id is not null, v.created_at, v.id
    """
  }

  /// Returns the views that a person sees, shared ones first.
  package func list(_ acting: ActingContext, _ kind: Kind, subject: String? = nil) async throws -> [Row] {
    try await administration.read(acting, permission: nil) { tx, _ in
      try tx.rows(Self.query(acting, kind, subject: subject), as: Row.self)
    }
  }

  /// Saves a view.
  ///
  /// - Parameter isShared: true to show it to everybody, which requires `company.update`.
  /// - Throws: `already_exists` for a name that is taken, `invalid_name`, `value_too_long`, `quota_exceeded`, `forbidden`.
  package func save(
    _ acting: ActingContext,
    _ kind: Kind,
    subject: String,
    name: String,
    query: String,
    isShared: Bool
  ) async throws {
    guard let user = acting.user else {
      throw DomainError(.forbidden, "an operator has no views of their own")
    }
    let name = try DisplayName(parsing: name).text
    guard name.count <= 100 else { throw DomainError(.valueTooLong, "a name has at most 100 characters") }
    guard query.count <= 2_000 else { throw DomainError(.valueTooLong, "the filters are too long") }
    let company = acting.company.id
    let owner = isShared ? nil : user
    try await administration.administer(acting, permission: isShared ? "company.update" : nil) { tx, _ in
      let before = try tx.rows(Self.query(acting, kind), as: Row.self)
      guard before.count < Self.most else {
        throw DomainError(.quotaExceeded, "there are \(Self.most) views", hint: "remove one first")
      }
      let isTaken = before.contains {
        $0.subject == subject && $0.isShared == isShared && $0.name.lowercased() == name.lowercased()
      }
      guard !isTaken else { throw DomainError(.alreadyExists, "there is a view \(Quoted(name)) already") }
      try tx.execute(
        """
        insert into core.saved_view (company_id, id, owner_id, kind, subject, name, query)
        values (
          \(company), \(services.ids.next()), \(nullable: owner), \(kind.rawValue), \(subject), \(name), \(query)
        )
        """
      )
      return ((), [])
    }
  }

  /// Removes a view: one's own, or with `company.update` a shared one.
  ///
  /// - Throws: `not_found`.
  package func remove(_ acting: ActingContext, _ id: UUID) async throws {
    try await administration.administer(acting, permission: nil) { tx, rights in
      let isShared = rights.holds("company.update")
      let count = try tx.execute(
        """
        delete from core.saved_view v
        where v.company_id = \(acting.company.id) and v.id = \(id)
          and (v.owner_id = \(nullable: acting.user) or (v.owner_id is null and \(isShared)))
        """
      )
      guard count > 0 else { throw DomainError(.notFound, "there is no such view") }
      return ((), [])
    }
  }
}
