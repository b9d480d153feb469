internal import CYaml
internal import Domain

/// Checks YAML text before it is composed, event by event, in constant memory.
///
/// An alias repeats a node: with aliases, a document of 800 bytes has millions of nodes. No document needs
/// them, so anchors and aliases are refused.
struct YAMLScan {
  private let limits: DocumentLimits
  private let document: String
  private var nodes = 0
  /// The number of nodes in each open list, and the number of keys and values in each open object.
  private var open: [(isObject: Bool, nodes: Int)] = []

  /// - Parameter document: the name of the document in messages.
  init(_ limits: DocumentLimits, document: String) {
    self.limits = limits
    self.document = document
  }

  /// Requires text within the limits and without anchors and aliases. The text may have other faults, which
  /// the composer finds at the same place.
  ///
  /// - Throws: `invalid_document` with the line.
  mutating func require(_ text: String) throws(DomainError) {
    try limits.require(bytes: text.utf8.count, of: document)
    var parser = yaml_parser_t()
    guard yaml_parser_initialize(&parser) == 1 else { throw DomainError(.unavailable, "no memory is left") }
    defer { yaml_parser_delete(&parser) }
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING)
    let bytes = Array(text.utf8)
    let refusal = bytes.withUnsafeBufferPointer { buffer -> DomainError? in
      yaml_parser_set_input_string(&parser, buffer.baseAddress, buffer.count)
      while true {
        var event = yaml_event_t()
        guard yaml_parser_parse(&parser, &event) == 1 else { return nil }
        defer { yaml_event_delete(&event) }
        if event.type == YAML_STREAM_END_EVENT { return nil }
        if let fault = fault(of: event) { return fault }
      }
    }
    if let refusal { throw refusal }
  }

  private mutating func fault(of event: yaml_event_t) -> DomainError? {
    let anchor: UnsafeMutablePointer<yaml_char_t>?
    switch event.type {
    case YAML_ALIAS_EVENT: anchor = event.data.alias.anchor
    case YAML_SCALAR_EVENT: anchor = event.data.scalar.anchor
    case YAML_SEQUENCE_START_EVENT: anchor = event.data.sequence_start.anchor
    case YAML_MAPPING_START_EVENT: anchor = event.data.mapping_start.anchor
    case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT:
      _ = open.popLast()
      return nil
    default: return nil
    }
    nodes += 1
    if nodes > limits.nodes { return limits.tooManyNodes(in: document) }
    let line = Int(event.start_mark.line) + 1
    if anchor != nil {
      return refusal("anchors and aliases are not allowed", hint: "write the value again", line)
    }
    if let last = open.indices.last {
      open[last].nodes += 1
      if open[last].isObject, open[last].nodes > 2 * limits.keys {
        return refusal("there are more than \(limits.keys) keys", hint: "split the document", line)
      }
    }
    let opens = [YAML_SEQUENCE_START_EVENT, YAML_MAPPING_START_EVENT]
    guard opens.contains(event.type) else { return nil }
    open.append((event.type == YAML_MAPPING_START_EVENT, 0))
    guard open.count > limits.depth else { return nil }
    return refusal("nested too deeply", hint: "use at most \(limits.depth) levels", line)
  }

  private func refusal(_ reason: String, hint: String, _ line: Int) -> DomainError {
    let details: JSONObject = ["document": .string(document), "line": .integer(line)]
    return DomainError(.invalidDocument, "\(document):\(line): \(reason)", hint: hint, details: details)
  }
}
