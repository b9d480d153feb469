package import Domain
internal import Yams

/// Reads a YAML document written by people. Every error names the file, and the line and the path if they are
/// known.
package enum YAMLDocument {
  /// Decodes a value. The errors of the decoder get the document and the line.
  ///
  /// - Parameters:
  ///   - document: the name of the file in messages.
  ///   - limits: checked before the document is composed.
  ///   - userInfo: passed to the decoder.
  package static func decode<Value: Decodable>(
    _ type: Value.Type,
    _ text: String,
    document: String,
    limits: DocumentLimits = .written,
    userInfo: [CodingUserInfoKey: Any] = [:]
  ) throws -> Value {
    var scan = YAMLScan(limits, document: document)
    try scan.require(text)
    do {
      return try YAMLDecoder().decode(type, from: text, userInfo: userInfo)
    } catch {
      throw locating(DomainError.reading(error, in: document), in: text, document: document)
    }
  }

  /// Returns an error that names the document, and the line if the error has a path in the document.
  package static func locating(_ refusal: DomainError, in text: String, document: String) -> DomainError {
    let named = refusal.message.hasPrefix("\(document): ")
    let message = named ? String(refusal.message.dropFirst(document.count + 2)) : refusal.message
    var details = refusal.details
    details["document"] = .string(document)
    guard let path = details["path"]?.string, !path.isEmpty, let line = line(of: path, in: text) else {
      return DomainError(refusal.code, "\(document): \(message)", hint: refusal.hint, details: details)
    }
    details["line"] = .integer(line)
    return DomainError(refusal.code, "\(document):\(line): \(message)", hint: refusal.hint, details: details)
  }

  /// Returns the line of a path, or of its nearest existing parent, from 1; nil if the text cannot be parsed.
  private static func line(of path: String, in text: String) -> Int? {
    // A parse error already contains its line.
    guard let root = try? Yams.compose(yaml: text) else { return nil }
    var node = root
    var rest = Substring(path)
    var line = node.mark?.line
    while !rest.isEmpty, let (next, mark, consumed) = step(from: node, along: rest) {
      node = next
      line = mark ?? line
      rest = rest.dropFirst(consumed)
    }
    return line
  }

  /// Returns the node of the longest key, or of the index, at the start of a path, with the line and the
  /// number of characters. Keys may contain dots.
  private static func step(from node: Node, along path: Substring) -> (Node, Int?, Int)? {
    switch node {
    case .mapping(let mapping):
      let separator = path.hasPrefix(".") ? 1 : 0
      let rest = path.dropFirst(separator)
      let fits = mapping.compactMap { key, value -> (Node, Int?, Int)? in
        guard let name = key.string, rest.hasPrefix(name) else { return nil }
        let following = rest.dropFirst(name.count).first
        guard following == nil || following == "." || following == "[" else { return nil }
        return (value, key.mark?.line, separator + name.count)
      }
      return fits.max { $0.2 < $1.2 }
    case .sequence(let sequence):
      guard path.first == "[", let end = path.firstIndex(of: "]"),
        let index = Int(path[path.index(after: path.startIndex)..<end]), sequence.indices.contains(index)
      else { return nil }
      let element = sequence[index]
      return (element, element.mark?.line, path.distance(from: path.startIndex, to: end) + 1)
    default: return nil
    }
  }
}
