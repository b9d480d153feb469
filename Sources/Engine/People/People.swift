package import Domain
internal import FoundationEssentials
internal import Postgres
internal import Secrets
package import Store

/// The use cases of people across all companies. Operators only.
package struct People: Sendable {
  let services: Services

  package init(_ services: Services) {
    self.services = services
  }

  /// Returns the people whose name or address contains a text, with their memberships.
  ///
  /// - Parameter limit: the maximum number of people.
  package func search(_ text: String, limit: Int = 100) async throws -> [PersonRow] {
    try await services.database.transaction { tx in try PersonStore.search(text, limit: limit, tx) }
  }

  /// Removes the second factor of a person who has lost it, and ends their sessions. Writes an audit entry in each
  /// of the person's companies, or in the system company if there is none.
  ///
  /// - Returns: the number of sessions ended.
  /// - Throws: `not_found`; `wrong_state` if sign-in requires no second factor.
  package func removeSecondFactor(email: String, by actor: Actor) async throws -> Int {
    let address = try EmailAddress(parsing: email)
    let request = services.ids.next()
    return try await services.database.transaction(TransactionOptions(retries: 5)) { tx in
      guard let person = try MemberStore.user(email: address.key, tx) else { throw Self.unknown(email) }
      guard try SecondFactorStore.remove(of: person.id, tx) else {
        throw DomainError(.wrongState, "\(person.name) has no second factor")
      }
      let ended = try SessionStore.end(of: person.id, because: "second_factor_removed", tx)
      let detail: JSONObject = ["sessions_ended": .integer(ended)]
      try audit(
        .credential("totp.removed", of: person.id, detail: detail),
        of: person.id,
        by: actor,
        request,
        tx
      )
      return ended
    }
  }

  /// Disables a person in every company, or enables them again. A disabled person's tokens are revoked.
  ///
  /// Locks the person's companies in the order of their ids, checks that each with other people keeps an owner, and
  /// writes an audit entry in each.
  ///
  /// - Returns: the slugs of the person's companies.
  /// - Throws: `not_found`, `last_owner`, `wrong_state` if nothing would change.
  package func setDisabled(_ isDisabled: Bool, email: String, by actor: Actor) async throws -> [String] {
    let address = try EmailAddress(parsing: email)
    let ids = services.ids
    let request = ids.next()
    return try await services.database.transaction(TransactionOptions(retries: 5)) { tx in
      guard let person = try MemberStore.user(email: address.key, tx) else {
        throw Self.unknown(email)
      }
      var slugs: [String] = []
      let companies = try PersonStore.companies(of: person.id, tx)
      for id in companies {
        try PersonStore.enter(id, tx)
        guard let company = try CompanyStore.lock(id: id, tx),
          let row = try MemberStore.lock(company: id, user: person.id, tx)
        else { continue }
        slugs.append(company.slug)
        if isDisabled {
          let after = Member(user: person.id, role: row.role, status: .suspended)
          // The only person of a company leaves nobody behind who would need an owner.
          if try MemberStore.hasOthers(company: id, than: person.id, tx) {
            try OwnerRule.require(after: [after], named: person.name, in: company, tx)
          }
          try TokenStore.revokeAll(company: id, user: person.id, tx)
        }
        let entry = AuditEntry(
          action: isDisabled ? "member.disabled" : "member.enabled",
          subjectType: "member",
          subjectID: person.id.text
        )
        let context = WorkContext(company: id, actor: actor, user: nil, requestID: request)
        try tx.execute(AuditWriter.insert(entry, id: ids.next(), context: context))
      }
      guard try PersonStore.setDisabled(isDisabled, user: person.id, tx) else {
        throw DomainError(.wrongState, "\(person.name) is \(isDisabled ? "disabled" : "enabled") already")
      }
      return slugs.sorted()
    }
  }

  static func unknown(_ email: String) -> DomainError {
    DomainError(
      .notFound,
      "there is no person \(Quoted(email))",
      hint: "search with `fettle member search TEXT`"
    )
  }
}
