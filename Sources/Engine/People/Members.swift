internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Secrets
package import Store

/// The people of a company.
package struct Members: Sendable {
  private let services: Services
  private let office: Office
  private let seats: Seats

  package init(_ services: Services) {
    self.services = services
    office = Office(services)
    seats = Seats(services)
  }

  /// The members, by name.
  package func list(_ seat: Seat, includingRemoved: Bool = false) async throws -> [MemberRow] {
    try await office.look(seat, permission: "member.read") { tx, _ in
      try MemberStore.all(company: seat.company.id, includingRemoved: includingRemoved, tx)
    }
  }

  /// Makes a person a member at once, without a code: an operator's or administrator's short cut.
  package func add(_ seat: Seat, email: String, name: String, role: String) async throws -> MemberRow {
    let address = try EmailAddress(parsing: email)
    let display = try DisplayName(parsing: name)
    let newUser = services.ids.next()
    return try await office.administer(seat, permission: "invite.create") { tx, rights in
      try rights.mayGrant(role: role, in: seat.company.id, tx)
      let known = try MemberStore.user(email: address.key, tx)
      let user = known?.id ?? newUser
      if known == nil {
        try MemberStore.insertUser(id: user, email: address.text, name: display.text, kind: "person", tx)
      }
      guard
        try MemberStore.insert(
          company: seat.company.id, user: user, role: role, invitedBy: seat.user, tx),
        let member = try MemberStore.lock(company: seat.company.id, user: user, tx)
      else {
        throw DomainError(
          .alreadyExists, "\(address.text) is a member of \(seat.company.slug) already",
          hint: "`fettle member role` changes what they may do")
      }
      return (member, [Self.audit("member.added", user, ["role": .string(role)])])
    }
  }

  /// Gives a member another role.
  ///
  /// - Throws: `last_administrator` when no active owner or admin would remain.
  package func setRole(_ seat: Seat, member handle: String, role: String) async throws {
    let found = try await seats.member(handle, of: seat.company)
    try await office.administer(seat, permission: "member.update") { tx, rights in
      let member = try lock(found, seat, rights, tx)
      if member.userID == seat.user {
        throw DomainError(
          .forbidden, "nobody changes their own role", hint: "ask another administrator")
      }
      try rights.mayGrant(role: role, in: seat.company.id, tx)
      if member.isAdministrator, !["owner", "admin"].contains(role) {
        try keepAnAdministrator(besides: member, seat, tx)
      }
      try MemberStore.setRole(role, company: seat.company.id, user: member.userID, tx)
      let detail: JSONObject = ["from": .string(member.role), "to": .string(role)]
      return ((), [Self.audit("member.role_changed", member.userID, detail)])
    }
  }

  /// Suspends, reinstates or removes a member; their tokens end in the same transaction.
  package func setStatus(_ seat: Seat, member handle: String, status: String) async throws {
    let found = try await seats.member(handle, of: seat.company)
    let permission = status == "removed" ? "member.remove" : "member.suspend"
    try await office.administer(seat, permission: permission) { tx, rights in
      let member = try lock(found, seat, rights, tx)
      guard member.status != status else {
        throw DomainError(.wrongState, "\(member.name) is \(status) already")
      }
      if status != "active", member.isAdministrator { try keepAnAdministrator(besides: member, seat, tx) }
      try MemberStore.setStatus(status, company: seat.company.id, user: member.userID, tx)
      if status != "active" { try TokenStore.revokeAll(company: seat.company.id, user: member.userID, tx) }
      let detail: JSONObject = ["from": .string(member.status), "to": .string(status)]
      return ((), [Self.audit("member.\(status == "active" ? "reinstated" : status)", member.userID, detail)])
    }
  }

  private func lock(_ found: MemberRow, _ seat: Seat, _ rights: Rights, _ tx: Transaction) throws -> MemberRow {
    guard let member = try MemberStore.lock(company: seat.company.id, user: found.userID, tx) else {
      throw DomainError(.notFound, "\(found.email) is no member of \(seat.company.slug)")
    }
    try rights.mayChange(member, in: seat.company.id, tx)
    return member
  }

  /// Rule R3: asked under the company's lock, before writing.
  private func keepAnAdministrator(besides member: MemberRow, _ seat: Seat, _ tx: Transaction) throws {
    guard try MemberStore.administrators(company: seat.company.id, besides: member.userID, tx) > 0 else {
      throw DomainError(
        .lastAdministrator, "\(member.name) is the last administrator of \(seat.company.slug)",
        hint: "make somebody else an admin first")
    }
  }

  private static func audit(_ action: String, _ user: UUID, _ detail: JSONObject) -> AuditEntry {
    AuditEntry(action: action, subjectType: "member", subjectID: user.text, detail: JSON(detail))
  }
}

extension MemberRow {
  /// Whether the member counts among those of whom one must remain.
  var isAdministrator: Bool { status == "active" && ["owner", "admin"].contains(role) }
}
