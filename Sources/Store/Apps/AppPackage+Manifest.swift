package import Domain
internal import FettleSQL

extension AppPackage {
  /// Reads the manifest among an app's files, with its workflows.
  ///
  /// - Throws: `invalid_document` if there is not exactly one manifest, or if a file with YAML cannot be
  ///   read.
  static func manifest(in files: [AppFile], document: String) throws -> AppManifest {
    let pages = files.filter(\.isManifest)
    guard let page = pages.first, pages.count == 1 else {
      throw DomainError(
        .invalidDocument,
        "\(document) has \(pages.isEmpty ? "no manifest" : "\(pages.count) manifests")",
        hint: "keep exactly one manifest, called <name>.app.yaml or app.yaml"
      )
    }
    let manifest = try ManifestReader.read(page.text(in: document), document: "\(document)/\(page.path)")
    var workflows: [String: WorkflowDefinition] = [:]
    for file in files where manifest.workflowFiles.contains(file.path) {
      workflows[file.path] = try ManifestReader.readWorkflow(
        file.text(in: document),
        document: "\(document)/\(file.path)"
      )
    }
    return manifest.including(workflows)
  }

  /// Reads the manifest of an embedded app without its SQL, which would take longer.
  package static func embeddedManifest(_ app: String) throws -> AppManifest {
    let pages = files(embedded: app).filter { AppFile.counts($0.path) && !$0.path.hasSuffix(".sql") }
    return try manifest(in: pages, document: app)
  }

  /// Returns the embedded app whose manifest declares a noun; nil if none does.
  ///
  /// Searches the text of the manifests, because decoding all of them takes longer than most commands.
  package static func embeddedApp(withNoun word: String) -> String? {
    guard CommandNoun.isWord(word) else { return nil }
    return SQLFiles.apps.first { app in
      SQLFiles.below("apps/\(app)").contains { file in
        guard file.path.hasSuffix(".app.yaml") else { return false }
        let lines = file.text.split(separator: "\n").map { $0.trimmingPrefix { $0 == " " } }
        return zip(lines, lines.dropFirst()).contains { line, next in
          line == "command: \(word)" || line.hasPrefix("command: { name: \(word)")
            || line == "command:" && next == "name: \(word)"
        }
      }
    }
  }

  /// Returns the nouns of the embedded apps with their types, without those of one app.
  static func embeddedNouns(besides app: String) -> [String: String] {
    let nouns = allNouns.filter { !$0.type.hasPrefix("\(app).") }.map { ($0.noun, $0.type) }
    return Dictionary(nouns) { first, _ in first }
  }

  private static let allNouns: [(noun: String, type: String)] = embeddedManifests().flatMap { manifest in
    manifest.types.compactMap { type in type.command.map { ($0.name, type.name) } }
  }

  /// Returns the manifests of all embedded apps.
  package static func embeddedManifests() -> [AppManifest] {
    // Embedded manifests can be decoded: the tests install each of them.
    SQLFiles.apps.compactMap { try? embeddedManifest($0) }
  }
}
