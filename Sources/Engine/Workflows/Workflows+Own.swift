package import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

extension Workflows {
  /// The result of installing an own version.
  package struct OwnVersion: Sendable {
    /// The number that the version has now; nil for a dry run.
    package let version: Int?
    /// The version of the app from which it was made.
    package let basedOn: Int
    /// False if the company had the same version already.
    package let isNew: Bool
  }

  /// Installs a company's own version of a workflow. The company follows it after its activation.
  ///
  /// The definition has the number of the app's version from which it was made. The app, its other versions and other
  /// companies are not concerned.
  ///
  /// - Throws: `invalid_workflow` with the findings; `not_found` if the app's version was never installed;
  ///   `invalid_input` for the app's version itself.
  package func install(_ acting: ActingContext, _ definition: WorkflowDefinition, dryRun: Bool = false)
    async throws
    -> OwnVersion
  {
    let name = definition.name
    try requireWorkflow(name)
    return try await administration.administer(acting, permission: "workflow.activate") { tx, _ in
      let versions = try WorkflowStore.versions(of: name, for: nil, tx)
      let base = try Self.definition(of: name, version: definition.version, versions, tx)
      guard base != definition, let manifest = try WorkflowStore.manifest(of: definition.app, tx) else {
        throw DomainError(
          .invalidInput,
          "the file is version \(base.version) of \(name) itself",
          hint: "activate it with `fettle workflow activate \(name) --version \(base.version)`"
        )
      }
      let findings = try WorkflowRules.findings(aboutOwn: definition, madeFrom: base, of: manifest, tx)
      guard findings.isEmpty else {
        throw AppRefusal.error(.invalidWorkflow, app: "\(name)@\(base.version)", findings)
      }
      if dryRun { return (OwnVersion(version: nil, basedOn: base.version, isNew: true), []) }
      let (version, isNew) = try WorkflowStore.install(definition, company: acting.company.id, tx)
      let answer = OwnVersion(version: version, basedOn: base.version, isNew: isNew)
      guard isNew else { return (answer, []) }
      let detail: JSONObject = ["version": .integer(version), "based_on": .integer(base.version)]
      return (answer, [Self.audit("workflow.installed", name, detail)])
    }
  }
}
