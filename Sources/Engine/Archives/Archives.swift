internal import Domain
internal import Postgres
internal import Store

/// Archives of companies. For operators only; see ``CompanyExport`` and ``CompanyImport``.
package struct Archives: Sendable {
  private let services: Services

  package init(_ services: Services) { self.services = services }

  /// Notes in the audit that the company is exported; before the snapshot, so that the archive has the entry too.
  ///
  /// - Throws: `forbidden` for a member.
  package func noteExport(_ acting: ActingContext) async throws {
    try await CompanyAdministration(services).administer(acting, permission: nil, for: .keepBooks) {
      _,
      rights in
      guard rights.isUnrestricted else {
        throw DomainError(.forbidden, "only an operator can export a company", hint: "leave out --as")
      }
      let entry = AuditEntry(
        action: "company.exported",
        subjectType: "company",
        subjectID: acting.company.id.text
      )
      return ((), [entry])
    }
  }
}
