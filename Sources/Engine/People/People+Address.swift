package import Domain
internal import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

extension People {
  /// Verifies the address of a person without a code, and clears a refusal. Audited in the system company.
  ///
  /// - Throws: `not_found`.
  package func verify(email: String, by actor: Actor) async throws {
    let address = try EmailAddress(parsing: email)
    let ids = services.ids
    try await services.database.transaction(.inside(MailJob.accounts)) { tx in
      guard let person = try MemberStore.user(email: address.key, tx),
        try tx.value("select core.vouch_address(\(person.id))", as: Bool.self)
      else { throw Self.unknown(email) }
      let entry = AuditEntry(action: "address.verified", subjectType: "member", subjectID: person.id.text)
      let context = WorkContext(company: MailJob.accounts, actor: actor, user: nil, requestID: ids.next())
      try tx.execute(AuditWriter.insert(entry, id: ids.next(), context: context))
    }
  }
}
