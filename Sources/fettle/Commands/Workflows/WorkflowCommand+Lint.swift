internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import Store
internal import Terminal

extension WorkflowCommand {
  struct Lint: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Check a workflow or an overlay, and run its tests",
      scope: .installation,
      discussion: """
        Checks a workflow file, an overlay file, or an app: a folder or the name of a
        bundled app. Prints every finding with its code, position and hint. --installed
        also checks against the database that columns exist, guards parse, and removed
        states are mapped.

        Examples:
          fettle workflow lint entry.workflow.yaml
          fettle workflow lint maintenance
          fettle workflow lint strict.overlay.yaml --installed
        """
    )
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions
    @Argument(help: "File, folder, or name of a bundled app", completion: .file()) var source: String
    @Flag(help: "Also check against the database") var installed = false

    func run() async throws {
      let document = try WorkflowDocument.read(source)
      var findings = try document.findings()
      if installed {
        let found = try await connection.withServices { services in
          try await Workflows(services, try await Records.open(services)).findings(in: document)
        }
        findings += found.filter { !findings.contains($0) }
      }
      try AppFindings.print(findings, to: output)
      guard findings.isEmpty else {
        throw DomainError(.invalidWorkflow, "\(document.name) has \(findings.count) findings")
      }
      if output.output == .table { Message.tell("\(document.name): no findings") }
    }
  }
}
