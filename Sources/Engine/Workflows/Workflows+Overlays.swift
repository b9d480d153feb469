package import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

extension Workflows {
  /// Returns a company's overlay of a version of a workflow; nil if there is none.
  ///
  /// - Parameter version: nil for the version that the company follows.
  package func overlay(_ acting: ActingContext, of name: String, version: Int? = nil) async throws
    -> WorkflowOverlay?
  {
    try requireWorkflow(name)
    return try await administration.read(acting, permission: "workflow.read") { tx, _ in
      let choices = try WorkflowStore.choices(company: acting.company.id, tx)
      let number = try version ?? Self.followed(name, choices, tx)
      return choices.overlays[name]?.first { $0.version == number }
    }
  }

  /// Sets a company's overlay of a version of a workflow, replacing an earlier overlay.
  ///
  /// The version may be one that the company has not activated yet, but not an older one.
  ///
  /// - Throws: `invalid_workflow` with every part that loosens the workflow or contains an unknown name;
  ///   `invalid_input` for an overlay of another company or an older version; `not_found` for an unknown
  ///   version.
  package func setOverlay(_ acting: ActingContext, _ overlay: WorkflowOverlay, dryRun: Bool = false)
    async throws
  {
    let name = overlay.workflow
    try requireWorkflow(name)
    if let company = overlay.company, company != acting.company.slug {
      throw DomainError(
        .invalidInput,
        "the overlay is written for \(company), not for \(acting.company.slug)",
        hint: "use `--company \(company)`, or change the company in the overlay"
      )
    }
    let type = try records.catalogue.type(name)
    try await administration.administer(acting, permission: "workflow.overlay") { tx, _ in
      let versions = try WorkflowStore.versions(of: name, for: acting.company.id, tx)
      let followed = try Self.followed(name, WorkflowStore.choices(company: acting.company.id, tx), tx)
      let definition = try Self.definition(of: name, version: overlay.version, versions, tx)
      guard overlay.version >= followed else {
        throw DomainError(
          .invalidInput,
          "\(acting.company.slug) follows version \(followed) of \(name), not \(overlay.version)",
          hint: "write overlay: \(name)@\(followed)"
        )
      }
      var findings = overlay.validate(against: definition, in: Self.context(of: type))
      if findings.isEmpty { findings = try GuardParser.findings(in: overlay, tx) }
      guard findings.isEmpty else {
        throw OverlayRefusal.error(findings, "\(name)@\(overlay.version)")
      }
      if dryRun { return ((), []) }
      try WorkflowStore.set(overlay, company: acting.company.id, tx)
      let body = try JSON(encoding: overlay).value()
      return (
        (),
        [Self.audit("workflow.overlay_set", name, ["version": .integer(overlay.version), "overlay": body])]
      )
    }
  }

  /// Removes a company's overlay of a version of a workflow.
  ///
  /// - Parameter version: nil for the version that the company follows.
  /// - Throws: `not_found` if there is no overlay.
  package func removeOverlay(_ acting: ActingContext, of name: String, version: Int? = nil) async throws {
    try requireWorkflow(name)
    try await administration.administer(acting, permission: "workflow.overlay") { tx, _ in
      let choices = try WorkflowStore.choices(company: acting.company.id, tx)
      let number = try version ?? Self.followed(name, choices, tx)
      guard try WorkflowStore.removeOverlay(of: name, version: number, company: acting.company.id, tx) else {
        throw DomainError(
          .notFound,
          "\(acting.company.slug) has no overlay of version \(number) of \(name)",
          hint: "list the workflows with `fettle workflow list --company \(acting.company.slug)`"
        )
      }
      return ((), [Self.audit("workflow.overlay_removed", name, ["version": .integer(number)])])
    }
  }

  private static func followed(_ name: String, _ choices: WorkflowStore.Choices, _ tx: Transaction) throws
    -> Int
  {
    if let chosen = choices.versions[name]?.version { return chosen }
    return try WorkflowStore.versions(of: name, for: nil, tx).first ?? 1
  }

  static func context(of type: RecordType) -> WorkflowContext {
    var context = WorkflowContext()
    context.tableColumns = Set(type.columns.map(\.name))
    context.viewColumns = Set(type.viewColumns.map(\.name))
    return context
  }
}
