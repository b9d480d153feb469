/// Renders where in a document a decoder stood, the way a person would point at it.
package enum DocumentPath {
  /// `states.pending.after[0].delay` for the keys on the way there; empty at the top.
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
