internal import Domain
internal import Postgres
package import Store

extension Members {
  /// Changes the name or the email address of a member; nil keeps a value.
  ///
  /// Members may change themselves. Members with `member.update` may change members who belong to no other
  /// company. Operators may change everyone. History and audit keep earlier names.
  ///
  /// - Throws: `already_exists` if another person has the address, `missing_fields` if both values are nil,
  ///   `wrong_state` for a removed member, `forbidden`, `member_outranks`.
  package func update(
    _ acting: ActingContext,
    member handle: String,
    name: String? = nil,
    email: String? = nil
  ) async throws -> MemberRow {
    let name = try name.map { try DisplayName(parsing: $0) }
    let email = try email.map { try EmailAddress(parsing: $0) }
    guard name != nil || email != nil else {
      throw DomainError(.missingFields, "nothing to change", hint: "give --name or --email")
    }
    let found = try await contexts.member(handle, of: acting.company)
    let isSelf = found.userID == acting.user
    return try await administration.administer(acting, permission: isSelf ? nil : "member.update") {
      tx,
      rights in
      let (row, member) = try lock(found.userID, acting, rights, tx)
      guard member.status != .removed else { throw Self.gone(row, acting) }
      if let email, let other = try MemberStore.user(email: email.key, tx), other.id != row.userID {
        throw DomainError(
          .alreadyExists,
          "\(email) is the address of another person",
          hint: "add that person with `fettle member add`"
        )
      }
      var detail: JSONObject = [:]
      if let name, name.text != row.name { detail["name"] = .strings([row.name, name.text]) }
      if let email, email.text != row.email { detail["email"] = .strings([row.email, email.text]) }
      guard !detail.isEmpty else { return (row, []) }
      let (user, newName, address) = (row.userID, name?.text, email?.text)
      if rights.isUnrestricted {
        try tx.execute("select core.rename_person(\(user), \(nullable: newName), \(nullable: address))")
      } else if try !tx.value(
        "select core.change_person(\(user), \(nullable: newName), \(nullable: address))",
        as: Bool.self
      ) {
        throw DomainError(
          .forbidden,
          "\(row.name) belongs to other companies too",
          hint: "ask the member or an operator to change the name or address"
        )
      }
      return (try read(row, acting, tx), [Self.audit("member.changed", row.userID, detail)])
    }
  }
}
