package import Domain
internal import Yams

/// Reads an app's page of YAML.
package enum ManifestReader {
  /// Decodes a manifest; anchors and unknown keys are refused, so that a page says what it seems to say.
  ///
  /// - Parameter document: how messages call the file.
  package static func read(_ text: String, document: String) throws -> AppManifest {
    try decode(AppManifest.self, text, document: document)
  }

  /// Decodes a workflow that stands in a file of its own.
  package static func readWorkflow(_ text: String, document: String) throws -> WorkflowDefinition {
    try decode(WorkflowDefinition.self, text, document: document)
  }

  private static func decode<Value: Decodable>(_ type: Value.Type, _ text: String, document: String) throws
    -> Value
  {
    guard text.utf8.count <= 1_000_000 else {
      throw DomainError(.invalidDocument, "\(document) is larger than a megabyte")
    }
    do {
      return try YAMLDecoder().decode(type, from: text)
    } catch {
      throw DomainError.reading(error, in: document)
    }
  }
}
