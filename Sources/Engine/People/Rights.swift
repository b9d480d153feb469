package import Domain
package import FoundationEssentials
package import Postgres
package import Store

/// What the actor may do at this moment, read in the transaction that uses it.
package struct Rights: Sendable {
  /// The company's state and the member's role as they are now.
  package let access: Access
  /// What the member may do; everything for an operator in their own name.
  package let granted: PermissionSet
  /// True for an operator in their own name: not a member, bound by no role, audited.
  package let isUnbound: Bool
  /// The member; nil for an operator in their own name.
  package let user: UUID?

  /// - Throws: `forbidden` when the member is suspended, removed or disabled.
  package init(_ seat: Seat, _ access: Access) throws {
    self.access = access
    user = seat.user
    isUnbound = seat.user == nil
    granted = try PermissionSets.of(access.permissions)
    guard !isUnbound else { return }
    guard access.memberStatus == "active", access.userStatus == "active" else {
      throw DomainError(
        .forbidden, "the member is \(access.memberStatus ?? "not known") in \(access.companySlug)",
        hint: "an administrator can reinstate members with `fettle member reinstate`")
    }
  }

  /// Whether a permission is held, for any record or for own ones.
  package func holds(_ permission: String) -> Bool {
    guard !isUnbound else { return true }
    guard let permission = try? Permission(parsing: permission) else { return false }  // no such name, no right
    return granted.contains(permission)
  }

  /// - Throws: `forbidden`, or what the company's status forbids.
  package func require(_ permission: String, writing: Bool) throws {
    switch access.companyStatus {
    case "active": break
    case "suspended" where !writing: break
    case "suspended":
      throw DomainError(.companySuspended, "\(access.companySlug) is suspended: it can be read but not changed")
    default:
      guard isUnbound, !writing else {
        throw DomainError(.companyArchived, "\(access.companySlug) is \(access.companyStatus)")
      }
    }
    guard holds(permission) else {
      throw DomainError(
        .forbidden, "\(access.userName ?? "this member") (\(access.role ?? "no role")) may not \(permission)",
        hint: "`fettle access explain --do \(permission)` tells why",
        details: ["permission": .string(permission), "role": access.role.map { .string($0) } ?? .null])
    }
  }

  /// Rule R1: one gives only what one holds.
  ///
  /// - Throws: `unknown_role`, or `grant_exceeds_own` naming what the role holds beyond.
  package func mayGrant(role: String, in company: UUID, _ tx: Transaction) throws {
    guard let permissions = try RoleStore.permissions(company: company, role: role, tx) else {
      let names = try RoleStore.all(company: company, tx).map(\.name)
      throw DomainError(
        .unknownRole, "there is no role \(Quoted(role))",
        hint: Seats.hint(for: role, among: names, list: "fettle role list"))
    }
    try mayGrant(permissions: permissions, called: "the role \(role)")
  }

  /// Rule R1 for a list of permissions.
  package func mayGrant(permissions: [String], called what: String) throws {
    guard !isUnbound else { return }
    let wanted = PermissionSet(try permissions.map { try Permission(parsing: $0) })
    let beyond = wanted.subtracting(granted).map(\.name)
    guard beyond.isEmpty else {
      let shown = beyond.prefix(3).joined(separator: ", ")
      throw DomainError(
        .grantExceedsOwn, "\(what) may \(shown)\(beyond.count > 3 ? " and more" : ""), which you may not yourself",
        details: ["beyond": .strings(beyond)])
    }
  }

  /// Rule R2: nobody changes a member who may do more than they.
  package func mayChange(_ member: MemberRow, in company: UUID, _ tx: Transaction) throws {
    guard !isUnbound, member.userID != user else { return }
    let theirs = try RoleStore.permissions(company: company, role: member.role, tx) ?? []
    let beyond = PermissionSet(try theirs.map { try Permission(parsing: $0) }).subtracting(granted)
    guard beyond.isEmpty else {
      throw DomainError(.memberOutranks, "\(member.name) may do more than you (\(member.role))")
    }
  }
}

/// Rule R1 once more, at redemption: who made the invite may have lost rights since.
enum GranterCheck {
  static func stillMayGrant(_ role: String, granter: UUID?, company: UUID, _ tx: Transaction) throws -> Bool {
    guard let granter else { return true }  // an operator made it
    guard let member = try MemberStore.lock(company: company, user: granter, tx), member.status == "active",
      let theirs = try RoleStore.permissions(company: company, role: member.role, tx),
      let wanted = try RoleStore.permissions(company: company, role: role, tx)
    else { return false }
    let held = PermissionSet(try theirs.map { try Permission(parsing: $0) })
    return PermissionSet(try wanted.map { try Permission(parsing: $0) }).isSubset(of: held)
  }
}
