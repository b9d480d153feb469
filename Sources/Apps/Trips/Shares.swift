package import Domain
package import Engine
package import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

/// The rights of a link's bearer.
package enum ShareLevel: String, Sendable, Codable, CaseIterable {
  /// Read the plan and its stops.
  case read
  /// Change the plan and its stops, but neither create links nor delete the plan.
  case edit

  /// The permissions of the owner that a link passes on.
  var scopes: PermissionSet {
    let reads = ["trips.plan.read", "trips.stop.read"]
    let writes = self == .edit ? ["trips.plan.update", "trips.stop.create", "trips.stop.update"] : []
    return PermissionSet((reads + writes).compactMap { try? Permission(parsing: $0) })
  }
}

/// A plan as shown to the bearer of a link.
package struct SharedPlan: Sendable {
  package let plan: UUID
  /// The bearer's rights.
  package let level: ShareLevel
  /// The bearer's acting context: the link, on behalf of the plan's owner.
  package let acting: ActingContext
  let link: ShareLink
}

/// Links that show one plan to their bearers.
package struct Shares: Sendable {
  /// A new link, shown once.
  package struct Issued: Sendable {
    package let id: UUID
    package let text: String
  }

  let services: Services
  let records: Records

  package init(_ services: Services, _ records: Records) {
    self.services = services
    self.records = records
  }

  /// Creates a link to the member's own plan.
  ///
  /// - Parameter expiresAt: expiry; nil for none.
  /// - Throws: `unauthenticated` for an operator without a member, `invalid_input` for an expiry that has
  ///   passed.
  package func create(
    _ acting: ActingContext,
    plan: UUID,
    level: ShareLevel,
    expiresAt: Instant?
  ) async throws -> Issued {
    guard let owner = acting.user else {
      throw DomainError(.unauthenticated, "trips are private to their owner", hint: "add --as MEMBER")
    }
    let type = try records.catalogue.type("trips.plan_share")
    let link = ShareLink.make(company: acting.company.id, owner: owner)
    var fields: JSONObject = ["plan_id": .string(plan.text), "level": .string(level.rawValue)]
    if let expiresAt { fields["expires_at"] = .string(expiresAt.rfc3339) }
    let id = services.ids.next()
    let given = fields
    _ = try await records.perform(acting) { work in
      let parents = try records.parents(of: type, given)
      let (access, locks) = try work.read { pipeline in
        parents.map { pipeline.rows($0.type.lockAsParent(company: acting.company.id, id: $0.id), Bool.self) }
      }
      if let expiresAt, access.now.microseconds >= expiresAt.microseconds {
        throw DomainError(.invalidInput, "the expiry \(expiresAt.rfc3339) has passed already")
      }
      try RecordRules(type.definition, workflow: nil)
        .requireCreate(given, by: try Rights(acting, access).kernel(acting, type))
      for (parent, lock) in zip(parents, locks) { try parent.require(lock.first) }
      var complete = given
      complete["token_hash"] = .string("\\x\(Hex.encode(link.hash))")
      return try RecordWriter(type: type, acting: acting, access: access)
        .create(id: id, fields: complete, in: &work)
    }
    return Issued(id: id, text: link.text)
  }

  /// Revokes a link immediately.
  package func revoke(_ acting: ActingContext, id: UUID) async throws {
    _ = try await records.perform(acting) { work in
      let (access, _) = try work.read { _ in }
      let fields: JSONObject = ["revoked_at": .string(access.now.description)]
      return try records.update(acting, type: "trips.plan_share", id: id, fields: fields, in: &work)
    }
  }

  /// Returns the plan of a link.
  ///
  /// - Throws: `not_found` for a link that is mistyped, unknown, revoked or expired, without saying which.
  package func redeem(_ text: String) async throws -> SharedPlan {
    let link: ShareLink
    do {
      link = try ShareLink.parse(text)
    } catch {
      throw Self.refusal
    }
    return try await services.database.transaction(
      .inside(link.company, user: link.owner, readOnly: true)
    ) { tx in
      guard let company = try CompanyStore.find(id: link.company, tx),
        let found = try tx.first(Self.lookup(link), as: FoundShare.self), found.isUsable,
        let level = ShareLevel(rawValue: found.level)
      else { throw Self.refusal }
      let acting = ActingContext(
        company: company,
        actor: .token(found.id, of: link.owner),
        user: link.owner,
        scopes: level.scopes
      )
      return SharedPlan(plan: found.plan, level: level, acting: acting, link: link)
    }
  }

  static let refusal = DomainError(
    .notFound,
    "the link is not valid",
    hint: "ask for a new link: this one may be incomplete, revoked or expired"
  )

  /// Returns the query for the share of a link, which is unusable if its plan is deleted. Row-level security
  /// restricts the query to the rows of the link's owner.
  static func lookup(_ link: ShareLink) -> SQL {
    """
    select s.id, s.plan_id, s.level,
      s.revoked_at is null and coalesce(s.expires_at > now(), true) and p.deleted_at is null
    from trips.plan_share s
    join trips.plan p
      on p.company_id = s.company_id and p.created_by = s.created_by and p.id = s.plan_id
    where s.company_id = \(link.company) and s.created_by = \(link.owner) and s.token_hash = \(link.hash)
      and s.deleted_at is null
    """
  }
}

/// A share found by its link.
struct FoundShare: RowDecodable, Sendable {
  let id: UUID
  let plan: UUID
  let level: String
  let isUsable: Bool

  init(row: inout RowReader) throws(PostgresError) {
    id = try row.next()
    plan = try row.next()
    level = try row.next()
    isUsable = try row.next()
  }
}
