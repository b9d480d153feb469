package import Domain
package import FoundationEssentials
package import Postgres
package import Store

/// What the actor may do at this moment, read in the transaction that uses it (R8).
package struct Rights: Sendable {
  /// The company's state and the member's role as they are now.
  package let access: Access
  /// What the member may do; nothing that counts for an operator in their own name, whom no role binds.
  package let granted: PermissionSet
  /// True for an operator in their own name and for the system: no member, bound by no role.
  package let isUnbound: Bool
  /// The member; nil for an operator in their own name.
  package let user: UUID?

  /// - Throws: `forbidden` when the member is suspended, removed or disabled.
  package init(_ acting: ActingContext, _ access: Access) throws {
    self.access = access
    user = acting.user
    isUnbound = acting.user == nil || acting.actor.kind == .system
    granted = try PermissionSets.of(access.permissions)
    guard isUnbound || access.memberStatus == "active" && access.userStatus == "active" else {
      throw DomainError(
        .forbidden,
        "the member is \(access.memberStatus ?? "not known") in \(access.companySlug)",
        hint: access.memberStatus == "suspended"
          ? "an administrator can let them in again with `fettle member reinstate`"
          : "a new invite would make them a member"
      )
    }
  }

  /// Reads them now.
  ///
  /// - Throws: `not_found` without such a company, `forbidden` when the member is not active.
  package static func read(_ acting: ActingContext, requestID: UUID, _ tx: Transaction) throws -> Rights {
    guard let access = try tx.first(Access.query(acting.context(requestID: requestID)), as: Access.self)
    else {
      throw DomainError(.notFound, "there is no such company")
    }
    return try Rights(acting, access)
  }

  /// Where the company is in its life.
  package var companyStatus: CompanyStatus { CompanyStatus(rawValue: access.companyStatus) ?? .erased }

  /// Whether a permission is held, for any record or for own ones.
  package func holds(_ permission: String) -> Bool {
    guard !isUnbound else { return true }
    // What is no name is no right.
    guard let permission = try? Permission(parsing: permission) else { return false }
    return granted.contains(permission)
  }

  /// - Throws: `forbidden`, or what the company's status forbids.
  package func require(_ permission: String, writing: Bool) throws {
    try require(permission, for: writing ? .write : .read)
  }

  /// - Throws: `forbidden`, or what the company's status forbids.
  package func require(_ permission: String, for use: CompanyStatus.Use) throws {
    try requireCompany(permits: use)
    guard holds(permission) else {
      throw DomainError(
        .forbidden,
        "\(access.userName ?? "this member") (\(access.role ?? "no role")) may not \(permission)",
        hint: "`fettle access explain --do \(permission)` tells why",
        details: ["permission": .string(permission), "role": access.role.map { .string($0) } ?? .null]
      )
    }
  }

  /// - Throws: `company_suspended`, `company_archived` or `not_found`. Operators may look into any company.
  package func requireCompany(permits use: CompanyStatus.Use) throws {
    if isUnbound, use == .read { return }
    do {
      try companyStatus.require(use)
    } catch {
      guard isUnbound else { throw error }
      throw DomainError(
        error.code,
        "\(access.companySlug) is \(access.companyStatus)",
        hint: "`fettle company activate \(access.companySlug)` opens it again"
      )
    }
  }

  /// What counts as held when these permissions are at stake: an operator in their own name lacks none.
  package func authority(over permissions: PermissionSet) -> PermissionSet {
    isUnbound ? permissions : granted
  }

  /// Rule R1: one gives only what one holds.
  ///
  /// - Throws: `unknown_role`, or `grant_exceeds_own` naming what the role holds beyond.
  @discardableResult
  package func mayGrant(role name: String, in company: CompanyRow, _ tx: Transaction) throws -> Role {
    let role = try Role.stored(name, in: company, tx)
    try mayGrant(role.permissions)
    return role
  }

  /// Rule R1 for permissions.
  package func mayGrant(_ permissions: PermissionSet) throws {
    try AccessRules.requireGrant(permissions, by: authority(over: permissions))
  }

  /// Rule R2: nobody changes a member who may do more than they.
  package func mayChange(_ member: MemberRow, in company: CompanyRow, _ tx: Transaction) throws {
    guard member.userID != user else { return }
    let held = try PermissionSets.of(
      RoleStore.permissions(company: company.id, role: member.role, tx) ?? []
    )
    guard AccessRules.canModify(memberHolding: held, by: authority(over: held)) else {
      throw DomainError(.memberOutranks, "\(member.name) (\(member.role)) may do more than you")
    }
  }
}
