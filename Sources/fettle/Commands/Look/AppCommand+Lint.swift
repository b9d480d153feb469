internal import ArgumentParser
internal import Domain
internal import Engine
internal import Store
internal import Terminal

extension AppCommand {
  struct Lint: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Check an app's page of YAML without installing it.",
      discussion: """
        Names every finding with its place in the file. Whether tables and columns exist
        is checked when the app is installed.

        Example: fettle app lint sql/apps/maintenance/maintenance.app.yaml
        """
    )
    @OptionGroup var output: OutputOptions
    @Argument(
      help: "The manifest, such as maintenance.app.yaml.",
      completion: .file(extensions: ["yaml", "yml"])
    )
    var file: String

    func run() throws {
      var bytes: [UInt8] = []
      try FileChunks(path: file).forEach { bytes += $0 }
      guard let text = String(validating: bytes, as: UTF8.self) else {
        throw DomainError(.invalidDocument, "\(Quoted(file)) is not UTF-8")
      }
      let manifest = try ManifestReader.read(text, document: file)
      let findings = manifest.validate()
      try output.print(
        Table(
          columns: [Column("path"), Column("finding"), Column("hint")],
          rows: findings.map { [.string($0.path), .string($0.message), .string($0.hint)] }
        )
      )
      guard findings.isEmpty else {
        throw DomainError(.invalidManifest, "\(manifest.app) has \(findings.count) findings")
      }
      if output.output == .table {
        Message.tell("\(manifest.app) \(manifest.version): \(manifest.types.count) types, no findings")
      }
    }
  }
}
