package import Domain
package import FoundationEssentials
package import Postgres
package import Store

/// Somebody's place in a company for the length of a command: which company, who acts, for whom.
package struct ActingContext: Sendable {
  /// The company in which they act.
  package let company: CompanyRow
  /// Who acts, as history and audit name them.
  package let actor: Actor
  /// The member whose rights count; nil for an operator in their own name and for the system.
  package let user: UUID?

  package init(company: CompanyRow, actor: Actor, user: UUID?) {
    self.company = company
    self.actor = actor
    self.user = user
  }

  /// The system's acting context: a timer, a schedule, a job.
  ///
  /// - Parameters:
  ///   - name: what acts, as history names it: `timer`, or the kind of the job.
  ///   - owner: whose private records it acts on; nil where records belong to the company.
  /// - Throws: `not_found` when the company is not there.
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

  /// The context of a unit of work from this acting context.
  package func context(
    requestID: UUID,
    mode: WriteMode = .engine,
    idempotency: (key: String, requestHash: [UInt8])? = nil
  ) -> WorkContext {
    WorkContext(
      company: company.id,
      actor: actor,
      user: user,
      mode: mode,
      requestID: requestID,
      idempotency: idempotency
    )
  }
}
