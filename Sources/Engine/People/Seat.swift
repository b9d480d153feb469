package import Domain
package import FoundationEssentials
package import Store

/// Somebody's place in a company for the length of a command: which company, who acts, for whom.
package struct Seat: Sendable {
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

  /// The context of a unit of work from this seat.
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
