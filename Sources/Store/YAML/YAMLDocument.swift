package import Domain

/// Reads a YAML document written by people. Every error names the file, and the line and the path if they are
/// known.
package enum YAMLDocument {
  /// Decodes a value. The errors of the decoder get the document and the line.
  ///
  /// - Parameters:
  ///   - document: the name of the file in messages.
  ///   - limits: of the document.
  ///   - userInfo: passed to the decoder.
  package static func decode<Value: Decodable>(
    _ type: Value.Type,
    _ text: String,
    document: String,
    limits: DocumentLimits = .written,
    userInfo: [CodingUserInfoKey: Any] = [:]
  ) throws -> Value {
    let node = try YAMLReader.read(text, limits: limits, document: document)
    do {
      return try YAMLDecoder(node: node ?? .nothing, codingPath: [], userInfo: userInfo).decode(type)
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
    guard let root = try? YAMLReader.read(text, limits: .data, document: "") else { return nil }
    var node = root
    var rest = Substring(path)
    var line = node.line
    while !rest.isEmpty, let step = step(from: node, along: rest) {
      node = step.node
      line = step.line
      rest = rest.dropFirst(step.count)
    }
    return line
  }

  /// Returns the node of the longest key, or of the index, at the start of a path, with the line and the
  /// number of characters. Keys may contain dots.
  private static func step(
    from node: YAMLNode,
    along path: Substring
  ) -> (node: YAMLNode, line: Int, count: Int)? {
    switch node.content {
    case .object(let object):
      let separator = path.hasPrefix(".") ? 1 : 0
      let rest = path.dropFirst(separator)
      let fits = object.members.filter { member in
        guard rest.hasPrefix(member.key) else { return false }
        let following = rest.dropFirst(member.key.count).first
        return following == nil || following == "." || following == "["
      }
      return fits.max { $0.key.count < $1.key.count }.map {
        ($0.value, $0.line, separator + $0.key.count)
      }
    case .list(let elements):
      guard path.first == "[", let end = path.firstIndex(of: "]"),
        let index = Int(path[path.index(after: path.startIndex)..<end]), elements.indices.contains(index)
      else { return nil }
      let element = elements[index]
      return (element, element.line, path.distance(from: path.startIndex, to: end) + 1)
    case .scalar: return nil
    }
  }
}
