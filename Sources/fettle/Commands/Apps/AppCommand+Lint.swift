internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import Store
internal import Terminal

extension AppCommand {
  struct Lint: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Check an app without a database",
      scope: .computer,
      discussion: """
        Prints every finding with its code and position. `fettle app install --dry-run`
        also runs the checks that require a database, such as that columns exist.

        Examples:
          fettle app lint ./orchard
          fettle app lint maintenance
        """
    )
    @OptionGroup var output: OutputOptions
    @Argument(help: "Folder, or name of a bundled app", completion: .directory)
    var app: String

    func run() throws {
      let package = try AppPackage.named(app)
      let findings = try package.findings(commands: AppRegistry.current.commandNames)
      try AppFindings.print(findings, to: output)
      guard findings.isEmpty else {
        throw DomainError(.invalidManifest, "\(package.manifest.app) has \(findings.count) findings")
      }
      if output.output == .table {
        let manifest = package.manifest
        Message.tell("\(manifest.app) \(manifest.version): \(manifest.types.count) types, no findings")
      }
    }
  }
}

/// Formats the findings about an app, a workflow or an overlay.
enum AppFindings {
  /// Returns the findings as a table with stable columns.
  static func table(_ findings: [ManifestDiagnostic]) -> Table {
    Table(
      columns: [Column("code"), Column("path"), Column("finding"), Column("hint")],
      rows: findings.map { [.string($0.code), .string($0.path), .string($0.message), .string($0.hint)] }
    )
  }

  /// Prints findings, nothing for people if there are none. People read what to do below each finding.
  static func print(_ findings: [ManifestDiagnostic], to output: OutputOptions) throws {
    guard output.isForPeople else { return try output.print(table(findings)) }
    guard !findings.isEmpty else { return }
    try output.print(
      Table(
        columns: [Column("code", kind: .id), Column("finding", kind: .advice)],
        rows: findings.map { finding in
          [
            .string(finding.code),
            .list([
              .string("\(finding.path.isEmpty ? "" : "\(finding.path): ")\(finding.message)"),
              .string("→ \(finding.hint)"),
            ]),
          ]
        }
      )
    )
  }

  /// Runs a change and returns its result. If the change is refused for several reasons, prints each of them
  /// before it rethrows the error, whose message contains the first one only.
  static func telling<Value>(_ body: () async throws -> Value) async throws -> Value {
    do {
      return try await body()
    } catch let error as DomainError {
      let findings = error.details["findings"]?.array?.compactMap(\.object) ?? []
      for finding in findings where findings.count > 1 {
        let words = ["path", "code", "message"].compactMap { finding[$0]?.string }
        Message.tell(words.joined(separator: ": "))
      }
      throw error
    }
  }
}
