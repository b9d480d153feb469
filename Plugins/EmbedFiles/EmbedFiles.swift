import Foundation
import PackagePlugin

/// Writes the text files that a target carries into one Swift file, before the target is compiled.
///
/// The folders are listed each time the package is planned, so that a new file is noticed by the next build.
@main struct EmbedFiles: BuildToolPlugin {
  /// What one target carries.
  private struct Carried {
    /// The enumeration that gets the member `all`.
    let owner: String
    /// The type of its elements, made of path and text.
    let element: String
    /// The folder that the paths begin below, relative to the package.
    let root: String
    let folders: [String]
    let suffixes: Set<String>
  }

  /// Of `sql/`, lints and examples stay outside.
  private static let carried = [
    "FettleSQL": Carried(
      owner: "SQLFiles",
      element: "SQLFile",
      root: "sql",
      folders: ["apps", "core", "report", "roles"],
      suffixes: ["sql", "yaml"]
    ),
    "WebFiles": Carried(
      owner: "WebFiles",
      element: "WebFile",
      root: "Sources/WebFiles",
      folders: ["script", "style", "words"],
      suffixes: ["css", "js", "strings"]
    ),
  ]

  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    guard let carried = Self.carried[target.name] else { return [] }
    let root = context.package.directoryURL.appending(path: carried.root)
    let output = context.pluginWorkDirectoryURL.appending(path: "\(carried.owner)+All.swift")
    let inputs = carried.folders.flatMap { files(below: root.appending(path: $0), carried.suffixes) }
    return [
      .buildCommand(
        displayName: "Embedding \(inputs.count) files of \(carried.root)",
        executable: try context.tool(named: "embed-files").url,
        arguments: [carried.owner, carried.element, output.path(), root.path()] + inputs.map { $0.path() },
        inputFiles: inputs,
        outputFiles: [output]
      )
    ]
  }

  private func files(below folder: URL, _ suffixes: Set<String>) -> [URL] {
    let paths = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    return (paths?.compactMap { $0 as? URL } ?? [])
      .filter { suffixes.contains($0.pathExtension) }
      .sorted { $0.path() < $1.path() }
  }
}
