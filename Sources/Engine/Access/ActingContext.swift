package import Domain
package import FoundationEssentials
package import Postgres
package import Store

/// The acting context of a command: the actor, the company, and the member whose rights apply.
package struct ActingContext: Sendable {
  /// The company in which the actor acts.
  package let company: CompanyRow
  /// The actor, as history and audit name it.
  package let actor: Actor
  /// The member whose rights apply; nil for an operator in their own name. For the system, the owner of
  /// private records.
  package let user: UUID?
  /// The permissions to which a token restricts its owner's rights; nil for an actor without a token.
  package let scopes: PermissionSet?
  /// The session or token of the request, checked again by every transaction; nil for an actor without one.
  package let credential: Credential?
  /// The id of the request, for history, audit, logs and jobs; nil to give each unit of work its own.
  package private(set) var requestID: UUID?

  /// - Parameter scopes: the scopes of the token. A token without scopes has no rights.
  package init(
    company: CompanyRow,
    actor: Actor,
    user: UUID?,
    scopes: PermissionSet? = nil,
    credential: Credential? = nil,
    requestID: UUID? = nil
  ) {
    self.company = company
    self.actor = actor
    self.user = user
    self.credential = credential
    self.requestID = requestID
    self.scopes = scopes ?? (actor.kind == .token ? PermissionSet.none : nil)
  }

  /// Returns the context for one request.
  func sending(_ requestID: UUID) -> ActingContext {
    var context = self
    context.requestID = requestID
    return context
  }

  /// The source of the actor's rights.
  package var authority: Authority { Authority(of: actor, user: user) }

  /// Returns the system's acting context for a timer, a schedule or a job.
  ///
  /// - Parameters:
  ///   - name: the actor's name in the history: `timer`, or the kind of the job.
  ///   - owner: the owner of the private records to act on; nil for records that belong to the company.
  /// - Throws: `not_found` if the company does not exist.
  package static func system(
    _ name: String,
    company: UUID,
    owner: UUID? = nil,
    _ tx: Transaction
  ) throws -> ActingContext {
    guard let company = try CompanyStore.find(id: company, tx) else {
      throw DomainError(.notFound, "there is no such company")
    }
    return ActingContext(company: company, actor: .system(name), user: owner)
  }

  /// Returns the context for a unit of work of this actor.
  ///
  /// - Parameter requestID: the id of the unit of work, if the actor's request has none.
  package func context(
    requestID: UUID,
    mode: WriteMode = .engine,
    idempotency: (key: String, requestHash: [UInt8])? = nil
  ) -> WorkContext {
    let written = WrittenRequest.current
    return WorkContext(
      company: company.id,
      actor: actor,
      user: user,
      mode: mode,
      requestID: self.requestID ?? requestID,
      idempotency: idempotency,
      writtenHash: idempotency?.key == written?.key ? written?.hash : nil,
      credential: credential
    )
  }
}
