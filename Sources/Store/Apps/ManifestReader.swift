package import Domain

/// Reads an app's manifest from YAML.
package enum ManifestReader {
  /// Decodes a manifest. Rejects anchors and unknown keys, so that the text cannot mislead its readers.
  ///
  /// - Parameter document: the name of the file in messages.
  package static func read(_ text: String, document: String) throws -> AppManifest {
    try YAMLDocument.decode(AppManifest.self, text, document: document)
  }

  /// Decodes a workflow from a file of its own.
  package static func readWorkflow(_ text: String, document: String) throws -> WorkflowDefinition {
    try YAMLDocument.decode(WorkflowDefinition.self, text, document: document)
  }
}
