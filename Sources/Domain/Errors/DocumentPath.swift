/// Formats the position of a decoder in a document.
package enum DocumentPath {
  /// Returns the coding keys as a path, such as `states.pending.after[0].delay`; empty at the top level.
  package static func text(_ path: [any CodingKey]) -> String {
    var text = ""
    for key in path {
      if let index = key.intValue {
        text += "[\(index)]"
      } else {
        text += text.isEmpty ? key.stringValue : ".\(key.stringValue)"
      }
    }
    return text
  }
}
