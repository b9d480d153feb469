package import Domain
package import FoundationEssentials
package import Postgres
package import Store

/// The current rights of an actor. A command reads them in the transaction that uses them (rule R8).
package struct Rights: Sendable {
  /// The company's status, and the member's status, role and permissions.
  package let access: Access
  /// The permissions of the member, within the scopes of a token; without effect for an unrestricted actor.
  package let granted: PermissionSet
  /// The permissions of the member's role, whatever the scopes of a token are.
  private let role: PermissionSet
  /// The source of the rights.
  package let authority: Authority
  /// The member; nil for an operator in their own name. For the system, the owner of private records.
  package let user: UUID?
  /// The actor.
  package let actor: Actor
  /// True if the scopes of a token restrict the rights.
  package let isScoped: Bool

  /// - Throws: `session_expired` if the session or token of the request has ended, `forbidden` if the member is
  ///   not active or their account is disabled, `invalid_permission`.
  package init(_ acting: ActingContext, _ access: Access) throws {
    guard access.isCredentialValid else { throw DomainError(.sessionExpired) }
    self.access = access
    user = acting.user
    actor = acting.actor
    authority = acting.authority
    isScoped = acting.scopes != nil
    let role = try PermissionSets.of(access.permissions, apps: access.apps)
    self.role = role
    granted = acting.scopes.map { AccessRules.effective(scopes: $0, ownerRights: role) } ?? role
    guard !authority.isUnrestricted else { return }
    guard case .member = authority else {
      throw DomainError(.forbidden, "the actor stands for no member of \(access.companySlug)")
    }
    do {
      try AccessRules.requireActive(access.member(acting.user))
    } catch {
      throw DomainError(error.code, "\(error.message) in \(access.companySlug)", hint: error.hint)
    }
  }

  /// Returns the actor's current rights.
  ///
  /// - Throws: `not_found` if the company does not exist, `forbidden` if the member is not active.
  package static func read(_ acting: ActingContext, requestID: UUID, _ tx: Transaction) throws -> Rights {
    guard let access = try tx.first(Access.query(acting.context(requestID: requestID)), as: Access.self)
    else {
      throw DomainError(.notFound, "there is no such company")
    }
    return try Rights(acting, access)
  }

  /// The status of the company.
  package var companyStatus: CompanyStatus { access.companyStatus }

  /// The rights in the form that the kernel requires.
  package var actorRights: ActorRights {
    ActorRights(actor: actor, company: companyStatus, permissions: granted, role: isScoped ? role : nil)
  }

  /// True for the system and for an operator in their own name. No role restricts them.
  package var isUnrestricted: Bool { authority.isUnrestricted }

  /// True if the actor holds a permission. A name that ends in `.own` is also held through the wider
  /// permission.
  package func holds(_ permission: String) -> Bool {
    guard !isUnrestricted else { return true }
    // An invalid permission name grants nothing.
    guard let permission = try? Permission(parsing: permission) else { return false }
    return granted.contains(permission)
  }

  /// True if the actor may read a record of a type with these owners.
  package func canRead(_ type: RecordType, ownedBy owners: [UUID]) -> Bool {
    isUnrestricted || actorRights.canRead(type.name, ownedBy: owners)
  }

  /// True if the actor may read a record of a type, given the row of its view.
  package func canRead(_ type: RecordType, _ document: JSONObject) -> Bool {
    isUnrestricted || canRead(type, ownedBy: type.owners(of: document))
  }

  /// True if the actor may refer to every record of a type; false if only to those that they own, because the member's
  /// role reads no others.
  ///
  /// The scopes of a token do not count: its owner may read the record. A role that reads no record of a type refers to
  /// its records by id, as it cannot look names up.
  package func mayRefer(to type: RecordType) -> Bool {
    guard !isUnrestricted, let own = try? Permission(parsing: "\(type.name).read.own") else { return true }
    return !role.contains(own) || role.contains(own.wider)
  }

  /// True if the actor may read a tombstone of a type, given its row. As in a list of tombstones, this requires the
  /// permission to delete the record too.
  package func canReadDeleted(_ type: RecordType, _ document: JSONObject) -> Bool {
    guard canRead(type, document) else { return false }
    let isOwn = user.map { type.owners(of: document).contains($0) } ?? false
    return holds("\(type.name).delete") || isOwn && holds("\(type.name).delete.own")
  }

  /// Requires that the company uses the type's app and that the actor may read all or own records of the
  /// type.
  ///
  /// - Throws: `forbidden`, or the error of the company's status.
  package func requireRead(_ type: RecordType) throws {
    try requireApp(of: type)
    if !holds("\(type.name).read.own") { try require("\(type.name).read", for: .read) }
  }

  /// Requires that the company uses the type's app.
  ///
  /// - Throws: `forbidden`.
  package func requireApp(of type: RecordType) throws { try access.requireApp(of: type, by: actor) }

  /// Requires a permission, and a company whose status permits the use.
  ///
  /// - Throws: `forbidden`, `company_suspended`, `company_archived` or `not_found`.
  package func require(_ permission: String, for use: CompanyStatus.Use) throws {
    try requireCompany(permits: use)
    guard holds(permission) else { throw lack(of: permission) }
  }

  /// The error for a missing permission: the member's role or the scopes of the token lack it.
  private func lack(of name: String) -> DomainError {
    let details: JSONObject = ["permission": .string(name), "role": access.role.map { .string($0) } ?? .null]
    if isScoped, let permission = try? Permission(parsing: name), role.contains(permission) {
      return DomainError(
        .forbidden,
        "the token lacks the scope \(name)",
        hint: "create a token with this scope",
        details: details
      )
    }
    return DomainError(
      .forbidden,
      "\(access.userName ?? "this member") (\(access.role ?? "no role")) lacks the permission \(name)",
      details: details
    )
  }

  /// Requires a company whose status permits the use. Operators may read every company.
  ///
  /// - Throws: `company_suspended`, `company_archived` or `not_found`.
  package func requireCompany(permits use: CompanyStatus.Use) throws {
    if isUnrestricted, use == .read { return }
    do {
      try companyStatus.require(use)
    } catch {
      guard isUnrestricted else { throw error }
      throw DomainError(
        error.code,
        "\(access.companySlug) is \(companyStatus.rawValue)",
        hint: "activate it with `fettle company activate \(access.companySlug)`"
      )
    }
  }

  /// Requires a permission on the actor's own rows, such as `inbox.read`. People need no permission for their own
  /// rows; a token requires the scope.
  ///
  /// - Throws: `forbidden`, or the error of the company's status.
  package func requireOwn(_ permission: String, for use: CompanyStatus.Use) throws {
    if isScoped { try require(permission, for: use) } else { try requireCompany(permits: use) }
  }

  /// Requires an actor who may comment, watch records and keep an inbox with preferences, in a company that
  /// accepts writes. A guest may not: all visitors of the demo share that member.
  ///
  /// - Throws: `forbidden`, or the error of the company's status.
  package func requireVoice() throws {
    try requireCompany(permits: .write)
    let role = access.role.flatMap(BuiltInRole.init(rawValue:))
    guard !isUnrestricted, let role, !role.hasVoice else { return }
    throw DomainError(
      .forbidden,
      "\(access.userName ?? "this member") (\(role.rawValue)) can only read",
      hint: "name another member with --as"
    )
  }

  /// Requires that the actor may comment on the records that they may read, and watch them.
  ///
  /// - Throws: `forbidden` for a guest and for a token without `comment.create`, or the error of the company's status.
  package func requireComment() throws {
    try requireVoice()
    try requireOwn("comment.create", for: .write)
  }

  /// True if the actor may comment on the records that they may read.
  package var mayComment: Bool { (try? requireComment()) != nil }

  /// Returns the permissions that count when the actor's are compared with these: the same ones for an unrestricted
  /// actor and for an owner, otherwise the actor's own.
  ///
  /// An app may grant to a role for programs what it does not grant to owners. Without their right to give it, nobody in
  /// the company had one. The scopes of a token limit it.
  package func authority(over permissions: PermissionSet) -> PermissionSet {
    let isOwner = access.role == BuiltInRole.owner.rawValue && !isScoped
    return isUnrestricted || isOwner ? permissions : granted
  }

  /// Enforces rule R1 for a role: an actor cannot grant permissions that they lack.
  ///
  /// - Returns: the role.
  /// - Throws: `unknown_role`, or `grant_exceeds_own` with the permissions that the actor lacks.
  @discardableResult
  package func mayGrant(role name: String, in company: CompanyRow, _ tx: Transaction) throws -> Role {
    let role = try Role.stored(name, in: company, tx)
    try mayGrant(role.permissions)
    return role
  }

  /// Enforces rule R1 for permissions.
  ///
  /// - Throws: `grant_exceeds_own` with the permissions that the actor lacks.
  package func mayGrant(_ permissions: PermissionSet) throws {
    try AccessRules.requireGrant(permissions, by: authority(over: permissions))
  }

  /// Enforces rule R2: an actor cannot change another member who holds permissions that the actor lacks.
  ///
  /// - Throws: `member_outranks`.
  package func mayChange(_ member: MemberRow, in company: CompanyRow, _ tx: Transaction) throws {
    guard member.userID != user else { return }
    let role = try RoleStore.all(company: company.id, tx).first { $0.name == member.role }
    let held = try PermissionSets.of(role?.permissions ?? [])
    try AccessRules.requireModify(
      "\(member.name) (\(member.role))",
      holding: held,
      by: authority(over: held)
    )
  }
}

extension Access {
  /// Requires that the company uses the type's app.
  ///
  /// - Throws: `forbidden`.
  func requireApp(of type: RecordType, by actor: Actor) throws {
    // Jobs may finish the work of an app that was disabled meanwhile.
    guard actor.kind != .system, let apps, !apps.contains(type.app) else { return }
    throw DomainError(
      .forbidden,
      "\(companySlug) does not use the app \(type.app)",
      hint: "enable it with `fettle app enable \(type.app) --company \(companySlug)`",
      details: ["app": .string(type.app)]
    )
  }
}

extension RecordType {
  /// The columns that contain the owners of a record.
  package var ownerColumns: [String] { ["created_by"] + definition.ownerFields }

  /// Returns the owners of a record, given the row of its view.
  package func owners(of document: JSONObject) -> [UUID] {
    ownerColumns.compactMap { document[$0]?.string.flatMap(UUID.init(text:)) }
  }
}
