/// The maximum size of a document that is read: a file, a line of an import file, or JSON text.
///
/// Every reader of documents takes its limits from here. Memory and time grow with bytes and nodes, so a small
/// document cannot cost much either.
package struct DocumentLimits: Sendable, Hashable {
  /// The maximum size in bytes.
  package let bytes: Int
  /// The maximum number of nodes: scalars, keys, lists and objects of YAML and JSON, or fields of a CSV record.
  package let nodes: Int
  /// The maximum number of lists and objects inside each other. The readers are recursive.
  package let depth: Int
  /// The maximum number of keys of an object in YAML.
  package let keys: Int

  /// Creates limits.
  package init(bytes: Int, nodes: Int, depth: Int = 64, keys: Int = 5_000) {
    self.bytes = bytes
    self.nodes = nodes
    self.depth = depth
    self.keys = keys
  }

  /// Manifests, workflows and overlays, which people write.
  package static let written = DocumentLimits(bytes: 1_000_000, nodes: 100_000, keys: 1_000)
  /// Data: provisioning files, JSON text, and each record of an import file.
  package static let data = DocumentLimits(bytes: 16_000_000, nodes: 100_000)
  /// The value of one column. Requests, history and the pages of devices nest it in other documents, which their readers
  /// limit to 64 levels.
  package static let column = DocumentLimits(bytes: 16_000_000, nodes: 100_000, depth: 48)
  /// Documents that the engine itself has stored.
  package static let stored = DocumentLimits(bytes: .max, nodes: .max, depth: 80)
}
