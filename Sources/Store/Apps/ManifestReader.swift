package import Domain

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
}
