internal import Domain
internal import Postgres
internal import Store

extension Members {
  /// Changes the name of a member, which is the same in all companies; operators only.
  ///
  /// - Throws: `invalid_name`, `forbidden` for a member.
  package func rename(_ acting: ActingContext, member handle: String, name: String) async throws {
    guard acting.user == nil else {
      throw DomainError(.forbidden, "operators change the names of members", hint: "leave out --as")
    }
    let name = try DisplayName(parsing: name).text
    let found = try await ActingContexts(services).member(handle, of: acting.company)
    try await CompanyAdministration(services).administer(acting, permission: nil) { tx, _ in
      guard name != found.name else { return ((), []) }
      try tx.execute(
        "update core.app_user u set name = \(name), updated_at = now() where u.id = \(found.userID)"
      )
      let detail: JSONObject = ["from": .string(found.name), "to": .string(name)]
      return (
        (),
        [
          AuditEntry(
            action: "member.renamed",
            subjectType: "member",
            subjectID: found.userID.text,
            detail: JSON(detail)
          )
        ]
      )
    }
  }
}
