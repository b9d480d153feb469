package import Domain
package import FoundationEssentials
package import Postgres
package import Store

/// The rights of an actor at this moment, read in the transaction that uses them (R8).
package struct Rights: Sendable {
  /// The company's state and the member's role as they are now.
  package let access: Access
  /// The permissions of the member; meaningless for an unbound actor.
  package let granted: PermissionSet
  /// True for an operator in their own name and for the system: no member, bound by no role.
  package let isUnbound: Bool
  /// The member; nil for an operator in their own name.
  package let user: UUID?
  /// The actor.
  package let actor: Actor

  /// - Throws: `forbidden` when the member is suspended, removed or disabled.
  package init(_ acting: ActingContext, _ access: Access) throws {
    self.access = access
    user = acting.user
    actor = acting.actor
    isUnbound = acting.user == nil || acting.actor.kind == .system
    granted = try PermissionSets.of(access.permissions, apps: access.apps)
    guard !isUnbound else { return }
    do {
      try AccessRules.requireActive(access.member(acting.user))
    } catch {
      throw DomainError(error.code, "\(error.message) in \(access.companySlug)", hint: error.hint)
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

  /// The status of the company.
  package var companyStatus: CompanyStatus { access.companyStatus }

  /// The rights in the form in which the kernel decides.
  package var actorRights: ActorRights {
    ActorRights(actor: actor, company: companyStatus, permissions: granted)
  }

  /// Whether a permission is held, for any record or for own ones.
  package func holds(_ permission: String) -> Bool {
    guard !isUnbound else { return true }
    // A text that is no permission's name grants nothing.
    guard let permission = try? Permission(parsing: permission) else { return false }
    return granted.contains(permission)
  }

  /// Whether the actor can read a record of a type that has these owners.
  package func canRead(_ type: RecordType, ownedBy owners: [UUID]) -> Bool {
    isUnbound || actorRights.canRead(type.name, ownedBy: owners)
  }

  /// Whether the actor can read a record of a type, given the row of its view.
  package func canRead(_ type: RecordType, _ document: JSONObject) -> Bool {
    isUnbound || canRead(type, ownedBy: type.owners(of: document))
  }

  /// Requires the permission to read records of a type, all or own ones, and that the company uses its app.
  package func requireRead(_ type: RecordType) throws {
    try requireApp(of: type)
    if !holds("\(type.name).read.own") { try require("\(type.name).read", for: .read) }
  }

  /// - Throws: `forbidden` if the company does not use the app of the type.
  package func requireApp(of type: RecordType) throws { try access.requireApp(of: type, by: actor) }

  /// - Throws: `forbidden`, or the refusal of the company's status.
  package func require(_ permission: String, for use: CompanyStatus.Use) throws {
    try requireCompany(permits: use)
    guard holds(permission) else {
      throw DomainError(
        .forbidden,
        "\(access.userName ?? "this member") (\(access.role ?? "no role")) lacks the permission \(permission)",
        hint: "`fettle access explain --do \(permission)` shows the checks",
        details: ["permission": .string(permission), "role": access.role.map { .string($0) } ?? .null]
      )
    }
  }

  /// The one check of the company's status. Operators read every company.
  ///
  /// - Throws: `company_suspended`, `company_archived` or `not_found`.
  package func requireCompany(permits use: CompanyStatus.Use) throws {
    if isUnbound, use == .read { return }
    do {
      try companyStatus.require(use)
    } catch {
      guard isUnbound else { throw error }
      throw DomainError(
        error.code,
        "\(access.companySlug) is \(companyStatus.rawValue)",
        hint: "`fettle company activate \(access.companySlug)` makes it active again"
      )
    }
  }

  /// The permissions that count as held when these are at stake: an unbound actor lacks none.
  package func authority(over permissions: PermissionSet) -> PermissionSet {
    isUnbound ? permissions : granted
  }

  /// Rule R1: nobody grants more than they hold.
  ///
  /// - Throws: `unknown_role`, or `grant_exceeds_own` with the permissions that the actor lacks.
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

  /// Rule R2: nobody changes a member who holds more than they do.
  package func mayChange(_ member: MemberRow, in company: CompanyRow, _ tx: Transaction) throws {
    guard member.userID != user else { return }
    let held = try PermissionSets.of(
      RoleStore.permissions(company: company.id, role: member.role, tx) ?? []
    )
    try AccessRules.requireModify(
      "\(member.name) (\(member.role))",
      holding: held,
      by: authority(over: held)
    )
  }
}

extension Access {
  /// - Throws: `forbidden` if the company does not use the app of the type.
  func requireApp(of type: RecordType, by actor: Actor) throws {
    // Jobs finish the work of an app that was disabled meanwhile.
    guard actor.kind != .system, let apps, !apps.contains(type.app) else { return }
    throw DomainError(
      .forbidden,
      "\(companySlug) does not use the app \(type.app)",
      hint: "`fettle app enable \(type.app) --company \(companySlug)` enables it",
      details: ["app": .string(type.app)]
    )
  }
}

extension RecordType {
  /// The columns that make a member an owner of a record.
  package var ownerColumns: [String] { ["created_by"] + definition.ownerFields }

  /// The owners of a record, given the row of its view.
  package func owners(of document: JSONObject) -> [UUID] {
    ownerColumns.compactMap { document[$0]?.string.flatMap(UUID.init(uuidString:)) }
  }
}
