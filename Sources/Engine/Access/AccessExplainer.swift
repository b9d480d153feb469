package import Domain
internal import FoundationEssentials
internal import Postgres
internal import Secrets
package import Store

/// Answers why somebody may or may not do something, by the rules that decide it.
package struct AccessExplainer: Sendable {
  /// A record that the question is about.
  package struct Subject: Sendable {
    /// Its type.
    package let type: String
    /// Its id, the beginning of one, or the type's key.
    package let name: String

    /// Reads `maintenance.entry:4f2c…`.
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

  /// The answer, with the names that the question was understood to mean.
  package struct Answer: Sendable {
    package let member: MemberRow
    package let permission: Permission
    package let decision: AccessDecision
  }

  private let services: Services

  package init(_ services: Services) {
    self.services = services
  }

  /// Explains, to somebody who may read roles.
  ///
  /// - Throws: `not_found`, `unknown_permission`, `unknown_type`, each with the closest name.
  package func explain(
    _ acting: ActingContext,
    member handle: String,
    permission name: String,
    on subject: Subject? = nil
  ) async throws -> Answer {
    let member = try await ActingContexts(services).member(handle, of: acting.company)
    let catalogue = try await services.database.transaction { tx in try PermissionCatalogue.stored(tx) }
    let permission = try catalogue.permission(named: name)
    let record = try await record(subject, of: permission, acting)
    let requestID = services.ids.next()
    return try await CompanyAdministration(services).read(acting, permission: "role.read") { tx, _ in
      let theirs = ActingContext(company: acting.company, actor: .member(member.userID), user: member.userID)
      guard
        let access = try tx.first(Access.query(theirs.context(requestID: requestID)), as: Access.self)
      else { throw DomainError(.notFound) }
      let reading = try record?.read(access, theirs, tx)
      let question = AccessQuestion(
        permission,
        actor: theirs.actor,
        company: CompanyStatus(rawValue: access.companyStatus) ?? .erased,
        member: access.member(member.userID),
        role: try PermissionSets.of(access.permissions),
        isOwn: reading.map { $0.owners.contains(member.userID) },
        isVisible: reading?.isVisible ?? true
      )
      return Answer(member: member, permission: permission, decision: .explain(question))
    }
  }

  private func record(_ subject: Subject?, of permission: Permission, _ acting: ActingContext) async throws
    -> Record?
  {
    guard let subject else { return nil }
    let records = try await Records.open(services)
    let type = try records.catalogue.type(subject.type)
    guard permission.subject == type.name else {
      throw DomainError(.invalidInput, "\(permission) is not about records of \(type.name)")
    }
    return Record(type: type, id: try await records.resolve(acting, type: type.name, subject.name))
  }

  private struct Record {
    let type: RecordType
    let id: UUID

    /// The record as the member would find it; nil for somebody who is no active member, who finds nothing.
    func read(_ access: Access, _ acting: ActingContext, _ tx: Transaction) throws -> RecordSnapshot? {
      guard access.member(acting.user)?.status == .active else { return nil }
      let locked = try tx.first(type.peek(company: acting.company.id, id: id), as: LockedRow.self)
      let viewed = try tx.first(type.view(company: acting.company.id, id: id, guards: []), as: ViewedRow.self)
      return try RecordReading(
        type: type,
        locked: locked,
        viewed: viewed,
        rights: try Rights(acting, access)
      ).snapshot
    }
  }
}

extension Access {
  /// The membership; a person who was disabled everywhere counts as suspended.
  fileprivate func member(_ user: UUID?) -> Member? {
    guard let user, let role, let status = memberStatus.flatMap(MemberStatus.init) else { return nil }
    return Member(user: user, role: role, status: userStatus == "active" ? status : .suspended)
  }
}
