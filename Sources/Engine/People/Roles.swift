internal import Domain
internal import Postgres
package import Store

/// The roles of a company: the built-in ones, and its own.
package struct Roles: Sendable {
  private let office: Office

  package init(_ services: Services) {
    office = Office(services)
  }

  /// The roles with what they may do, built-in ones first.
  package func list(_ seat: Seat) async throws -> [RoleRow] {
    try await office.look(seat, permission: "role.read") { tx, _ in try RoleStore.all(company: seat.company.id, tx) }
  }

  /// Makes a role of the company's own, or changes what it may do.
  ///
  /// - Throws: `unknown_permission` with the closest name, `not_grantable`, `grant_exceeds_own`.
  package func define(_ seat: Seat, name: String, label: String?, permissions: [String]) async throws {
    let slug = try Slug(parsing: name)
    let display = try DisplayName(parsing: label ?? name)
    try await office.administer(seat, permission: "role.create") { tx, rights in
      let roles = try RoleStore.all(company: seat.company.id, tx)
      let existing = roles.first { $0.name == slug.text }
      if existing?.isBuiltIn == true {
        throw DomainError(
          .alreadyExists, "\(slug.text) is a built-in role and stays as it is",
          hint: "define a role of another name")
      }
      try check(permissions, tx)
      try rights.mayGrant(permissions: permissions, called: "this role")
      if let existing {
        try rights.mayGrant(permissions: existing.permissions, called: "the role as it is")
        try RoleStore.setPermissions(permissions, company: seat.company.id, role: slug.text, tx)
      } else {
        try RoleStore.insert(
          company: seat.company.id, name: slug.text, label: display.text, permissions: permissions, tx)
      }
      let action = existing == nil ? "role.created" : "role.changed"
      let detail: JSONObject = ["permissions": .strings(permissions)]
      return ((), [AuditEntry(action: action, subjectType: "role", subjectID: slug.text, detail: JSON(detail))])
    }
  }

  /// Removes a role of the company's own that nobody holds.
  package func delete(_ seat: Seat, name: String) async throws {
    try await office.administer(seat, permission: "role.delete") { tx, _ in
      guard let role = try RoleStore.all(company: seat.company.id, tx).first(where: { $0.name == name }) else {
        throw DomainError(.unknownRole, "there is no role \(Quoted(name))")
      }
      guard !role.isBuiltIn else { throw DomainError(.forbidden, "\(name) is a built-in role and stays") }
      guard try !RoleStore.isReferred(company: seat.company.id, role: name, tx) else {
        throw DomainError(
          .stillReferenced, "\(name) is held by members or named by invites", hint: "give them another role first")
      }
      try RoleStore.delete(company: seat.company.id, role: name, tx)
      return ((), [AuditEntry(action: "role.deleted", subjectType: "role", subjectID: name)])
    }
  }

  private func check(_ permissions: [String], _ tx: Transaction) throws {
    let catalogue = try RoleStore.catalogue(tx)
    for permission in permissions {
      let wider = try Permission(parsing: permission).wider.name
      guard let entry = catalogue.first(where: { $0.0 == permission }) ?? catalogue.first(where: { $0.0 == wider })
      else {
        let closest = Suggestion.closest(to: permission, among: catalogue.map(\.0))
        throw DomainError(
          .unknownPermission, "there is no permission \(Quoted(permission))",
          hint: closest.map { "did you mean \($0)?" } ?? "`fettle role permissions` lists them")
      }
      guard entry.2 else {
        throw DomainError(.notGrantable, "\(permission) cannot be given to a company's own role")
      }
    }
  }
}
