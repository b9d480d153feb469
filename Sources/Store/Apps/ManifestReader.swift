package import Domain
internal import FettleSQL

/// Reads an app's page of YAML.
package enum ManifestReader {
  /// Decodes a manifest; anchors and unknown keys are refused, so that a page says what it seems to say.
  ///
  /// - Parameter document: how messages call the file.
  package static func read(_ text: String, document: String) throws -> AppManifest {
    try YAMLDocument.decode(AppManifest.self, text, document: document)
  }

  /// Decodes a workflow that stands in a file of its own.
  package static func readWorkflow(_ text: String, document: String) throws -> WorkflowDefinition {
    try YAMLDocument.decode(WorkflowDefinition.self, text, document: document)
  }

  /// The manifest of an app that the binary carries.
  package static func embedded(_ app: String) throws -> AppManifest {
    let path = "apps/\(app)/\(app).app.yaml"
    guard let file = SQLFiles.at(path) else {
      let closest = Suggestion.closest(to: app, among: SQLFiles.apps)
      throw DomainError(
        .notFound,
        "there is no app \(Quoted(app))",
        hint: closest.map { "did you mean \($0)?" } ?? "there are: \(SQLFiles.apps.joined(separator: ", "))"
      )
    }
    return try read(file.text, document: path)
  }
}
