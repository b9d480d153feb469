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
      abstract: "Manage a company's overlay: stricter workflow rules",
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
        discussion: """
          Replaces the company's previous overlay of that version. A file that loosens
          the workflow is refused, with a code for each reason.

          Example: fettle workflow overlay set strict.overlay.yaml --company acme
          """
      )
      @OptionGroup var company: CompanyOptions
      @OptionGroup var output: OutputOptions
      @Argument(help: "The file", completion: .file(extensions: ["yaml", "yml"])) var file: String
      @Flag(help: "Check the file and change nothing") var dryRun = false

      func run() async throws {
        guard case .overlay(let overlay) = try WorkflowDocument.read(file) else {
          throw DomainError(
            .invalidDocument,
            "\(Quoted(file)) is no overlay",
            hint: "it begins with overlay: app.type@1"
          )
        }
        try await company.withActingContext { services, acting in
          let workflows = Workflows(services, try await Records.open(services))
          try await AppFindings.telling { try await workflows.setOverlay(acting, overlay, dryRun: dryRun) }
          try output.report(
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
        discussion: """
          Printed as JSON, which is valid YAML: the output can be set again.

          Example: fettle workflow overlay show maintenance.entry --company acme
          """
      )
      @OptionGroup var company: CompanyOptions
      @Argument(help: "The workflow") var workflow: String
      @Option(help: "Version (default: the one the company follows)") var version: Int?

      func run() async throws {
        try await company.withActingContext { services, acting in
          let workflows = Workflows(services, try await Records.open(services))
          guard let overlay = try await workflows.overlay(acting, of: workflow, version: version) else {
            throw DomainError(
              .notFound,
              "\(acting.company.slug) asks nothing beyond \(workflow)",
              hint: "`fettle workflow overlay set FILE` tightens it"
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
        discussion: "Example: fettle workflow overlay remove maintenance.entry --company acme"
      )
      @OptionGroup var company: CompanyOptions
      @Argument(help: "The workflow") var workflow: String
      @Option(help: "Version (default: the one the company follows)") var version: Int?

      func run() async throws {
        try await company.withActingContext { services, acting in
          let workflows = Workflows(services, try await Records.open(services))
          try await workflows.removeOverlay(acting, of: workflow, version: version)
          Message.tell("\(acting.company.slug) follows \(workflow) as it is defined")
        }
      }
    }
  }
}
