internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import Postgres
internal import Store
internal import Terminal

extension WorkflowCommand {
  struct Overlay: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Manage overlays: a company's stricter workflow rules",
      discussion: """
        An overlay can add guards and required input, lengthen comments, disable
        transitions, shorten timers, and change labels.

        Example: fettle workflow overlay show maintenance.entry --company acme
        """,
      subcommands: [Set.self, Show.self, Remove.self]
    )

    struct Set: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "Set a company's overlay from a file",
        scope: .company,
        discussion: """
          Replaces the company's previous overlay of the same workflow version. A file
          that loosens the workflow is refused, with a code for each reason.

          Example: fettle workflow overlay set strict.overlay.yaml --company acme
          """
      )
      @OptionGroup var company: CompanyOptions
      @OptionGroup var output: OutputOptions
      @OptionGroup var key: KeyOption
      @Argument(help: "Overlay file", completion: .file(extensions: ["yaml", "yml"])) var file: String
      @Flag(help: "Check the file without setting the overlay") var dryRun = false

      func run() async throws {
        guard case .overlay(let overlay) = try WorkflowDocument.read(file) else {
          throw DomainError(
            .invalidDocument,
            "\(Quoted(file)) is not an overlay",
            hint: "begin the file with `overlay: app.type@1`"
          )
        }
        try await key.change(company, output, isTrial: dryRun, content: try JSON(encoding: overlay).text) {
          services,
          acting in
          let workflows = Workflows(services, try await Records.open(services))
          try await AppFindings.telling { try await workflows.setOverlay(acting, overlay, dryRun: dryRun) }
          return ChangeReport(
            "\(dryRun ? "would tighten" : "tightened") \(overlay.workflow)@\(overlay.version) in \(acting.company.slug)",
            [
              (Column("workflow"), .string(overlay.workflow)), (Column("version"), .integer(overlay.version)),
              (Column("company"), .string(acting.company.slug)), (Column("dry_run"), .bool(dryRun)),
            ]
          )
        }
      }
    }

    struct Show: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "Show a company's overlay",
        scope: .company,
        discussion: """
          The output is JSON, which is valid YAML: `overlay set` accepts it as a file.

          Example: fettle workflow overlay show maintenance.entry --company acme
          """
      )
      @OptionGroup var company: CompanyOptions
      @Argument(help: "Workflow, such as maintenance.entry") var workflow: String
      @Option(help: "Version (default: the version that the company follows)") var version: Int?

      func run() async throws {
        try await company.withActingContext { services, acting in
          let workflows = Workflows(services, try await Records.open(services))
          guard let overlay = try await workflows.overlay(acting, of: workflow, version: version) else {
            throw DomainError(
              .notFound,
              "\(acting.company.slug) has no overlay of \(workflow)",
              hint: "add one with `fettle workflow overlay set FILE`"
            )
          }
          var out = BufferedOutput()
          try out.write(try JSON(encoding: overlay).text + "\n")
          try out.flush()
        }
      }
    }

    struct Remove: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "Remove a company's overlay",
        scope: .company,
        discussion: "Example: fettle workflow overlay remove maintenance.entry --company acme"
      )
      @OptionGroup var company: CompanyOptions
      @OptionGroup var output: OutputOptions
      @OptionGroup var key: AdministrationOptions
      @Argument(help: "Workflow, such as maintenance.entry") var workflow: String
      @Option(help: "Version (default: the version that the company follows)") var version: Int?

      func run() async throws {
        try await key.change(company, output) { services, acting in
          let workflows = Workflows(services, try await Records.open(services))
          try await workflows.removeOverlay(acting, of: workflow, version: version)
          return ChangeReport(
            "removed the overlay of \(workflow) in \(acting.company.slug)",
            [(Column("workflow"), .string(workflow)), (Column("company"), .string(acting.company.slug))]
          )
        }
      }
    }
  }
}
