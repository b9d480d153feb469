package import Domain
internal import FoundationEssentials
internal import Postgres
internal import Secrets
package import Store

/// Explains why a member may or may not do something, with the checks that decide it.
package struct AccessExplainer: Sendable {
  /// The record in question.
  package struct Subject: Sendable {
    /// Its type.
    package let type: String
    /// Its id, the beginning of one, or the type's key.
    package let name: String

    /// Parses `maintenance.entry:4f2c…`.
    package init(parsing text: String) throws {
      let halves = text.split(separator: ":", maxSplits: 1).map(String.init)
      guard halves.count == 2 else {
        throw DomainError(
          .invalidInput,
          "\(Quoted(text)) is not type:id",
          hint: "write it like maintenance.machine:RM-001"
        )
      }
      type = halves[0]
      name = halves[1]
    }
  }

  /// The answer, with the resolved names of the question.
  package struct Answer: Sendable {
    package let member: MemberRow
    package let permission: Permission
    package let decision: AccessDecision
  }

  private let services: Services

  package init(_ services: Services) {
    self.services = services
  }

  /// Explains a decision to an actor who may read roles.
  ///
  /// - Throws: `not_found`, `unknown_permission`, `unknown_type`, each with the closest name.
  package func explain(
    _ acting: ActingContext,
    member handle: String,
    permission name: String,
    on subject: Subject? = nil
  ) async throws -> Answer {
    let member = try await ActingContexts(services).member(handle, of: acting.company)
    let records = try await Records.open(services)
    let record = try await record(subject, of: Permission(parsing: name), acting, records)
    let requestID = services.ids.next()
    return try await CompanyAdministration(services).read(acting, permission: "role.read") { tx, _ in
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
  /// Reads a record with the member's rights, under the workflow version that the company follows.
  fileprivate func subject(
    _ id: UUID,
    type name: String,
    for acting: ActingContext,
    _ access: Access,
    _ tx: Transaction
  ) throws -> AccessQuestion.Subject {
    let company = acting.company.id
    // An inactive member sees nothing; the member check reports that first.
    guard access.member(acting.user)?.status == .active else {
      return AccessQuestion.Subject(RecordSnapshot(isVisible: false, status: ""))
    }
    // The record is read as the member, because only they can see their private records.
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
      rules: RecordRules(type.definition, workflow: type.workflow),
      conditions: Array(reading.guards.dropFirst(type.guardPaths.count)),
      messages: type.messages
    )
  }
}
