package import Domain
package import FoundationEssentials
internal import Postgres
internal import Secrets
package import Store

/// Explains why a member may or may not do something, with the checks that decide it.
package struct AccessExplainer: Sendable {
  /// The record that a question is about.
  package struct Subject: Sendable {
    /// The record's type.
    package let type: String
    /// The record's number, its key, its id or the beginning of its id.
    package let name: String

    /// Parses `maintenance.entry:4f2c…`. Without a type, the record is of the permission's type: `WO-1001` with
    /// `maintenance.entry.start`.
    ///
    /// - Throws: `invalid_input` without a type, if the permission has none.
    package init(parsing text: String, permission: String) throws {
      var halves = text.split(separator: ":", maxSplits: 1).map(String.init)
      let words = permission.split(separator: ".")
      if halves.count == 1, words.count >= 3 { halves.insert(words.prefix(2).joined(separator: "."), at: 0) }
      guard halves.count == 2 else {
        throw DomainError(
          .invalidInput,
          "\(Quoted(text)) has no colon between type and id",
          hint: "write type:id, such as maintenance.machine:RM-001"
        )
      }
      type = halves[0]
      name = halves[1]
    }
  }

  /// The decision, with the member and the permission that the question names.
  package struct Answer: Sendable {
    package let member: MemberRow
    package let permission: Permission
    package let decision: AccessDecision
  }

  private let services: Services

  package init(_ services: Services) {
    self.services = services
  }

  /// Returns the decision about a member's permission with all checks. Requires `role.read`, and `audit.read` for
  /// another member than the actor.
  ///
  /// - Throws: `not_found`, `unknown_permission` or `unknown_type` with the closest name as a hint;
  ///   `invalid_input` if the permission is not about the record's type.
  package func explain(
    _ acting: ActingContext,
    member handle: String,
    permission name: String,
    on subject: Subject? = nil
  ) async throws -> Answer {
    let member = try await ActingContexts(services).member(handle, of: acting.company)
    let records = try await Records.open(services)
    let record = try await record(subject, of: Permission(parsing: name), acting, records)
    return try await explain(acting, permission: name, on: record, records, requires: "role.read") { _ in
      member
    }
  }

  /// Returns the decision about the acting member's own permission on a record with all checks.
  ///
  /// - Throws: `unknown_permission` with the closest name as a hint, `not_found` unless the actor may read the
  ///   record.
  package func explainOwn(
    _ acting: ActingContext,
    permission name: String,
    on id: UUID,
    of type: String,
    _ records: Records
  ) async throws -> Answer {
    guard let user = acting.user else {
      throw DomainError(
        .invalidInput,
        "an operator in their own name is no member",
        hint: "name the member with --as"
      )
    }
    try await records.requireReadable(acting, type: type, id: id)
    let company = acting.company.id
    return try await explain(acting, permission: name, on: (type, id), records, requires: nil) { tx in
      guard let member = try MemberStore.find(company: company, user: user, tx) else {
        throw DomainError(.forbidden, "the actor is no member")
      }
      return member
    }
  }

  private func explain(
    _ acting: ActingContext,
    permission name: String,
    on record: (type: String, id: UUID)?,
    _ records: Records,
    requires required: String?,
    member find: @escaping @Sendable (Transaction) throws -> MemberRow
  ) async throws -> Answer {
    let requestID = services.ids.next()
    return try await CompanyAdministration(services).read(acting, permission: required) { tx, rights in
      let member = try find(tx)
      if member.userID != acting.user { try rights.require("audit.read", for: .read) }
      let permission = try PermissionCatalogue.stored(tx).permission(named: name)
      let theirs = ActingContext(
        company: acting.company,
        actor: .member(member.userID),
        user: member.userID
      )
      guard
        let access = try tx.first(Access.query(theirs.context(requestID: requestID)), as: Access.self)
      else { throw DomainError(.notFound, "there is no such company") }
      let question = AccessQuestion(
        permission,
        actor: theirs.actor,
        company: access.companyStatus,
        member: access.member(member.userID),
        role: try PermissionSets.of(access.permissions, apps: access.apps),
        scopes: member.userID == acting.user ? acting.scopes : nil,
        record: try record.map { try records.subject($0.id, type: $0.type, for: theirs, access, tx) }
      )
      return Answer(member: member, permission: permission, decision: .explain(question))
    }
  }

  private func record(
    _ subject: Subject?,
    of permission: Permission,
    _ acting: ActingContext,
    _ records: Records
  ) async throws -> (type: String, id: UUID)? {
    guard let subject else { return nil }
    let type = try records.catalogue.type(subject.type).name
    guard permission.subject == type else {
      throw DomainError(.invalidInput, "\(permission) is not about records of \(type)")
    }
    return (type, try await records.resolve(acting, type: type, subject.name))
  }
}

extension Records {
  /// Returns a record read with the member's rights, under the workflow version that the company follows.
  fileprivate func subject(
    _ id: UUID,
    type name: String,
    for acting: ActingContext,
    _ access: Access,
    _ tx: Transaction
  ) throws -> AccessQuestion.Subject {
    let company = acting.company.id
    // An inactive member can read nothing. The check of the member reports this first.
    guard access.member(acting.user)?.status == .active else {
      return AccessQuestion.Subject(RecordSnapshot(isVisible: false, status: ""))
    }
    // The record is read on behalf of the member, because private records are visible only to their owner.
    if let user = acting.user { try tx.act(for: user) }
    var type = try type(name, followedBy: access, of: company, tx)
    let locked = try tx.first(type.peek(company: company, id: id), as: LockedRow.self)
    type = next(type, of: company, status: locked?.status) ?? type
    let statement = type.view(company: company, id: id, guards: Availability.paths(of: type))
    let viewed = try tx.first(statement, as: ViewedRow.self)
    let reading = try RecordReading(
      type: type,
      locked: locked,
      viewed: viewed,
      rights: try Rights(acting, access)
    )
    return AccessQuestion.Subject(
      reading.snapshot,
      rules: type.rules,
      conditions: Array(reading.guards.dropFirst(type.guardPaths.count)),
      messages: type.messages
    )
  }
}
