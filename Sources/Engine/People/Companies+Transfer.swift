internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Secrets
package import Store

extension Companies {
  /// The old and the new owner after a transfer.
  package struct Transfer: Sendable {
    package let from: MemberRow
    package let to: MemberRow
  }

  /// Transfers a company in one transaction: the new owner gets the role `owner`, and the old owner gets
  /// another role.
  ///
  /// - Parameters:
  ///   - handle: the new owner, an active member.
  ///   - old: the owner who steps down; nil for the acting owner, or for an operator the only owner.
  ///   - role: the role that the old owner gets.
  /// - Throws: `forbidden` without `company.transfer`; `wrong_state` if the new owner is not active or is an
  ///   owner already, or if `old` is not an owner; `invalid_input` if an operator has to name one of several
  ///   owners.
  package func transfer(
    _ acting: ActingContext,
    to handle: String,
    from old: String? = nil,
    keeping role: String = BuiltInRole.admin.rawValue
  ) async throws -> Transfer {
    let contexts = ActingContexts(services)
    let successor = try await contexts.member(handle, of: acting.company)
    let named = try await named(old, acting, contexts)
    return try await CompanyAdministration(services).administer(acting, permission: "company.transfer") {
      tx,
      rights in
      let company = acting.company
      guard let to = try MemberStore.lock(company: company.id, user: successor.userID, tx),
        to.status == .active, !to.isDisabled
      else { throw DomainError(.wrongState, "\(successor.name) is not an active member of \(company.slug)") }
      let owners = try MemberStore.administrators(company: company.id, tx).filter(\.isActiveOwner)
      guard named != nil || owners.count == 1 else {
        throw DomainError(
          .invalidInput,
          "\(company.slug) has \(owners.count) active owners",
          hint: "name the owner who steps down with `--from MEMBER`"
        )
      }
      guard let user = named ?? owners.first?.user,
        let from = try MemberStore.lock(company: company.id, user: user, tx),
        from.role == BuiltInRole.owner.rawValue
      else { throw DomainError(.wrongState, "only an owner can transfer \(company.slug)") }
      guard from.userID != to.userID, to.role != BuiltInRole.owner.rawValue else {
        throw DomainError(.wrongState, "\(to.name) is owner of \(company.slug) already")
      }
      try rights.mayChange(from, in: company, tx)
      try rights.mayGrant(role: BuiltInRole.owner.rawValue, in: company, tx)
      let kept = try rights.mayGrant(role: role, in: company, tx)
      try MemberStore.setRole(BuiltInRole.owner.rawValue, company: company.id, user: to.userID, tx)
      try MemberStore.setRole(kept.name, company: company.id, user: from.userID, tx)
      let detail: JSONObject = [
        "from": .string(from.email), "to": .string(to.email), "role": .string(kept.name),
      ]
      let entry = AuditEntry(
        action: "company.transferred",
        subjectType: "company",
        subjectID: company.id.text,
        detail: JSON(detail)
      )
      guard let before = try MemberStore.lock(company: company.id, user: from.userID, tx),
        let after = try MemberStore.lock(company: company.id, user: to.userID, tx)
      else { throw DomainError(.internal) }
      return (Transfer(from: before, to: after), [entry])
    }
  }

  private func named(
    _ handle: String?,
    _ acting: ActingContext,
    _ contexts: ActingContexts
  ) async throws -> UUID? {
    guard let handle else { return acting.user }
    return try await contexts.member(handle, of: acting.company).userID
  }
}
