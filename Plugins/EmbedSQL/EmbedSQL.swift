import Foundation
import PackagePlugin

/// Writes the folder `sql/` into one Swift file, `SQLFiles+All.swift`, before the target that carries it is compiled.
///
/// The folder is listed each time the package is planned, so that a new file is noticed by the next build.
@main struct EmbedSQL: BuildToolPlugin {
  /// The folders below `sql/` that the binary carries; lints and examples stay outside.
  private static let folders = ["apps", "core", "report", "roles"]

  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    let root = context.package.directoryURL.appending(path: "sql")
    let output = context.pluginWorkDirectoryURL.appending(path: "SQLFiles+All.swift")
    let inputs = Self.folders.flatMap { files(below: root.appending(path: $0)) }
    return [
      .buildCommand(
        displayName: "Embedding \(inputs.count) files of sql/",
        executable: try context.tool(named: "embed-sql").url,
        arguments: [root.path(), output.path()] + Self.folders,
        inputFiles: inputs,
        outputFiles: [output]
      )
    ]
  }

  private func files(below folder: URL) -> [URL] {
    let paths = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    return (paths?.compactMap { $0 as? URL } ?? [])
      .filter { ["sql", "yaml"].contains($0.pathExtension) }
      .sorted { $0.path() < $1.path() }
  }
}
