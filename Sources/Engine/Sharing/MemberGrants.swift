package import Domain
package import FoundationEssentials
package import Postgres
internal import Secrets
package import Store

/// Grants by which a member lets another one, such as a coach, see and set what is private to them.
///
/// Who uses a grant acts on the giver's records within its scopes, and never beyond what the giver may do. History names
/// the receiver.
package struct MemberGrants: Sendable {
  /// The most grants of a member that hold at a time.
  private static let mostGrants = 20

  /// A grant as both sides see it.
  package struct Row: RowDecodable, Sendable {
    package let id: UUID
    package let giver: UUID
    package let giverName: String
    package let receiver: UUID
    package let receiverName: String
    package let scopes: [String]
    package let createdAt: Instant
    package let expiresAt: Instant?
    /// True if the grant holds now.
    package let isValid: Bool

    package init(row: inout RowReader) throws(PostgresError) {
      id = try row.next()
      giver = try row.next()
      giverName = try row.next()
      receiver = try row.next()
      receiverName = try row.next()
      scopes = try row.next()
      createdAt = try row.next()
      expiresAt = try row.next()
      isValid = try row.next()
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

  private static func rows(_ company: UUID, _ condition: SQL) -> SQL {
    """
    select g.id, g.giver_id, coalesce(a.name, ''), g.receiver_id, coalesce(b.name, ''), g.scopes, g.created_at,
      g.expires_at, g.revoked_at is null and (g.expires_at is null or g.expires_at > now())
    from core.member_grant g
    left join core.app_user a on a.id = g.giver_id
    left join core.app_user b on b.id = g.receiver_id
    where g.company_id = \(company) and \(condition)
    order by g.created_at desc limit 100
    """
  }

  /// The types whose records are private to their owner: those that can be granted.
  package static func types(_ catalogue: [RecordType]) -> [RecordType] {
    catalogue.filter { $0.definition.scope == .owner }
  }

  /// Gives another member the right to see private records of the actor's own, and to change those of some types.
  ///
  /// - Parameters:
  ///   - seen: the types that the receiver may see.
  ///   - changed: those of them that the receiver may change too.
  ///   - days: the life of the grant; nil for no end.
  /// - Throws: `unknown_type` for a type that is not private, `not_found` for somebody who is no member.
  package func give(
    _ acting: ActingContext,
    to receiver: UUID,
    seen: [String],
    changed: [String],
    days: Int?
  ) async throws -> UUID {
    guard let user = acting.user, acting.scopes == nil else {
      throw DomainError(.forbidden, "only a person gives access to what is their own")
    }
    guard user != receiver else { throw DomainError(.invalidInput, "you have that already") }
    let known = Set(Self.types(records.catalogue.types).map(\.name))
    for name in seen + changed where !known.contains(name) {
      throw DomainError(.unknownType, "\(Quoted(name)) is not private to its owner")
    }
    let all = Set(seen + changed).sorted()
    guard !all.isEmpty else { throw DomainError(.missingFields, "nothing was chosen to share") }
    if let days, !(1...3_650).contains(days) {
      throw DomainError(.invalidInput, "a grant lives for 1 to 3650 days")
    }
    let scopes = all.flatMap { name in
      ["\(name).read"] + (changed.contains(name) ? ["\(name).create", "\(name).update"] : [])
    }
    let company = acting.company.id
    let id = services.ids.next()
    try await administration.administer(acting, permission: nil) { tx, _ in
      guard try MemberStore.find(company: company, user: receiver, tx) != nil else {
        throw DomainError(.notFound, "there is no such member")
      }
      let count = try tx.value(
        """
        select count(*) from core.member_grant g
        where g.company_id = \(company) and g.giver_id = \(user) and g.revoked_at is null
          and (g.expires_at is null or g.expires_at > now())
        """,
        as: Int.self
      )
      guard count < Self.mostGrants else {
        throw DomainError(
          .quotaExceeded,
          "you have given \(Self.mostGrants) grants",
          hint: "take one back first"
        )
      }
      try tx.execute(
        """
        insert into core.member_grant (company_id, id, giver_id, receiver_id, scopes, expires_at)
        values (
          \(company), \(id), \(user), \(receiver), \(scopes),
          now() + make_interval(days => \(nullable: days.map { Int32(clamping: $0) }))
        )
        """
      )
      let detail: JSONObject = ["receiver": .string(receiver.text), "scopes": .strings(scopes)]
      let entry = AuditEntry(
        action: "grant.given",
        subjectType: "core.member_grant",
        subjectID: id.text,
        detail: JSON(detail)
      )
      return ((), [entry])
    }
    return id
  }

  /// Returns the grants that the actor has given or received, newest first; taken back ones are left out.
  package func list(_ acting: ActingContext) async throws -> [Row] {
    guard let user = acting.user else { return [] }
    return try await administration.read(acting, permission: nil) { tx, _ in
      try tx.rows(
        Self.rows(
          acting.company.id,
          "g.revoked_at is null and \(user) in (g.giver_id, g.receiver_id)"
        ),
        as: Row.self
      )
    }
  }

  /// Takes back a grant that the actor has given, or gives up one that they have received.
  ///
  /// - Throws: `not_found`.
  package func end(_ acting: ActingContext, _ id: UUID) async throws {
    guard let user = acting.user else { throw DomainError(.notFound) }
    try await administration.administer(acting, permission: nil) { tx, _ in
      let count = try tx.execute(
        """
        update core.member_grant g set revoked_at = now()
        where g.company_id = \(acting.company.id) and g.id = \(id) and g.revoked_at is null
          and \(user) in (g.giver_id, g.receiver_id)
        """
      )
      guard count > 0 else { throw DomainError(.notFound, "there is no such grant") }
      return (
        (),
        [
          AuditEntry(
            action: "grant.ended",
            subjectType: "core.member_grant",
            subjectID: id.text,
            detail: JSON([:] as JSONObject)
          )
        ]
      )
    }
  }

  /// Returns the acting context in which the receiver of a grant acts on the giver's records.
  ///
  /// - Throws: `not_found` for a grant that the actor has not received, or that does not hold.
  package func entered(_ acting: ActingContext, _ id: UUID) async throws -> (
    acting: ActingContext, giver: String
  ) {
    guard let user = acting.user, acting.scopes == nil else { throw DomainError(.notFound) }
    let row = try await administration.read(acting, permission: nil) { tx, _ in
      try tx.first(
        Self.rows(acting.company.id, "g.id = \(id) and g.receiver_id = \(user) and g.revoked_at is null"),
        as: Row.self
      )
    }
    guard let row, row.isValid else { throw DomainError(.notFound, "there is no such grant") }
    let scopes = try PermissionSet(row.scopes.map { try Permission(parsing: $0) })
    let context = ActingContext(
      company: acting.company,
      actor: .receiver(row.id, of: row.giver, named: row.receiverName),
      user: row.giver,
      scopes: scopes,
      requestID: acting.requestID
    )
    return (context, row.giverName)
  }
}
