package import Domain
internal import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

extension People {
  /// A code with which a person chooses a password. It is shown once.
  package struct PasswordCode: Sendable {
    package let code: String
    package let expiresAt: Instant
  }

  /// Makes a code with which a person chooses a password, for somebody who has none or has lost it, where no mails are
  /// sent. Writes an audit entry in each of the person's companies, or in the system company if there is none.
  ///
  /// Its use counts as a proof of the address, as a mail would be: the operator must give it to the right person.
  ///
  /// - Throws: `not_found`; `wrong_state` for a person who is disabled.
  package func passwordCode(email: String, by actor: Actor) async throws -> PasswordCode {
    let address = try EmailAddress(parsing: email)
    let ids = services.ids
    let (request, id) = (ids.next(), ids.next())
    return try await services.database.transaction(TransactionOptions(retries: 5)) { tx in
      guard let person = try MemberStore.user(email: address.key, tx) else { throw Self.unknown(email) }
      let token = MailToken.make(id: id, user: person.id)
      let expiry = try tx.value(
        "select core.mint_reset_token(\(token.id), \(token.user), \(token.hash))",
        as: Instant?.self
      )
      guard let expiry else {
        throw DomainError(
          .wrongState,
          "\(person.name) is disabled, or is no person",
          hint: "enable a person with `fettle member enable \(address.key)`"
        )
      }
      try audit(.credential("password.link_made", of: person.id), of: person.id, by: actor, request, tx)
      return PasswordCode(code: token.text, expiresAt: expiry)
    }
  }

  /// Writes an audit entry about a person in each of their companies, or in the system company if there is none.
  func audit(_ entry: AuditEntry, of person: UUID, by actor: Actor, _ request: UUID, _ tx: Transaction) throws
  {
    let companies = try PersonStore.companies(of: person, tx)
    for company in companies.isEmpty ? [SignInAudit.systemCompany] : companies {
      try PersonStore.enter(company, tx)
      let context = WorkContext(company: company, actor: actor, user: nil, requestID: request)
      try tx.execute(AuditWriter.insert(entry, id: services.ids.next(), context: context))
    }
  }
}
