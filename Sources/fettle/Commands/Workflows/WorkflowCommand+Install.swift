internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import Store
internal import Terminal

extension WorkflowCommand {
  struct Install: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Install a company's own version of a workflow",
      scope: .company,
      discussion: """
        The file is the app's workflow with other states, transitions, timers and tests.
        Keep the version from which it is made; the installation gives it a number of
        its own. Under migrate, say where records go: those in states that the file no
        longer has, and, for the day when the company leaves this version, those in
        states that only the file has.

        Nothing changes until the company activates the version. Upgrades of the app keep
        it; an upgrade that it does not fit is refused and says why.

        Examples:
          fettle workflow lint entry.workflow.yaml
          fettle workflow install maintenance.entry entry.workflow.yaml --company acme
          fettle workflow activate maintenance.entry --company acme --dry-run
        """
    )
    @OptionGroup var company: CompanyOptions
    @OptionGroup var output: OutputOptions
    @Argument(help: "Workflow, such as maintenance.entry") var workflow: String
    @Argument(help: "Workflow file", completion: .file(extensions: ["yaml", "yml"])) var file: String
    @Flag(help: "Check the file without installing it") var dryRun = false

    func run() async throws {
      guard case .workflow(let definition) = try WorkflowDocument.read(file), definition.name == workflow
      else {
        throw DomainError(
          .invalidDocument,
          "\(Quoted(file)) is not a workflow of \(workflow)",
          hint: "begin the file with `workflow: \(workflow)`"
        )
      }
      try await company.withActingContext { services, acting in
        let workflows = Workflows(services, try await Records.open(services))
        let installed = try await AppFindings.telling {
          try await workflows.install(acting, definition, dryRun: dryRun)
        }
        try output.report(
          sentence(installed, acting.company.slug),
          [
            (Column("workflow"), .string(workflow)),
            (Column("version"), installed.version.map { .integer($0) } ?? .null),
            (Column("based_on"), .integer(installed.basedOn)),
            (Column("company"), .string(acting.company.slug)),
            (Column("changed"), .bool(installed.isNew && !dryRun)), (Column("dry_run"), .bool(dryRun)),
          ]
        )
        if !dryRun {
          Message.tell(
            "activate it with `fettle workflow activate \(workflow) --company \(acting.company.slug)`"
          )
        }
      }
    }

    private func sentence(_ installed: Workflows.OwnVersion, _ slug: String) -> String {
      let what = "own version of \(workflow) for \(slug), made from version \(installed.basedOn)"
      guard let version = installed.version else { return "would install an \(what)" }
      return installed.isNew
        ? "installed version \(version), an \(what)" : "version \(version) is the same \(what)"
    }
  }
}
