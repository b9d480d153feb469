internal import CLibYAML
internal import Domain

/// Reads a YAML document with libyaml, event by event, and stops at the first one beyond the limits.
///
/// An alias repeats a node: with aliases, a document of 800 bytes has millions of nodes. No document needs them, so
/// anchors and aliases are refused.
final class YAMLReader {
  private enum Event {
    case scalar(String, isPlain: Bool)
    case list, object
    /// The end of a list, an object or a page.
    case end
    /// The begin of the stream or of a page.
    case begin
    case endOfStream
  }

  private static let text = "tag:yaml.org,2002:str"

  private let limits: DocumentLimits
  private let document: String
  private let parser: UnsafeMutablePointer<yaml_parser_t>
  private var nodes = 0
  /// The line of the latest event, from 1.
  private var line = 1

  /// Returns the value of a document; nil if it has none.
  ///
  /// - Parameter document: the name of the document in messages.
  /// - Throws: `invalid_document` with the line for text that is not YAML or beyond the limits.
  static func read(_ text: String, limits: DocumentLimits, document: String) throws(DomainError) -> YAMLNode?
  {
    try limits.require(bytes: text.utf8.count, of: document)
    // libyaml keeps the address of the text while it reads.
    let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.utf8.count)
    defer { bytes.deallocate() }
    _ = bytes.initialize(from: text.utf8)
    return try YAMLReader(UnsafeBufferPointer(bytes), limits, document).page()
  }

  private init(
    _ bytes: UnsafeBufferPointer<UInt8>,
    _ limits: DocumentLimits,
    _ document: String
  ) throws(DomainError) {
    self.limits = limits
    self.document = document
    parser = .allocate(capacity: 1)
    parser.initialize(to: yaml_parser_t())
    guard yaml_parser_initialize(parser) == 1 else { throw DomainError(.unavailable, "no memory is left") }
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    yaml_parser_set_input_string(parser, bytes.baseAddress, bytes.count)
  }

  deinit {
    yaml_parser_delete(parser)
    parser.deallocate()
  }

  /// Returns the value of the only page.
  private func page() throws(DomainError) -> YAMLNode? {
    _ = try next()
    if case .endOfStream = try next() { return nil }
    let node = try node(try next(), depth: 0)
    _ = try next()
    guard case .endOfStream = try next() else {
      throw refusal("there is a second page", hint: "write one document per file")
    }
    return node
  }

  /// Returns the value that begins with an event.
  private func node(_ event: Event, depth: Int) throws(DomainError) -> YAMLNode {
    let begin = line
    switch event {
    case .scalar(let text, let isPlain):
      return YAMLNode(content: .scalar(text, isPlain: isPlain), line: begin)
    case .list:
      try require(depth: depth + 1)
      var elements: [YAMLNode] = []
      while let event = try element() { elements.append(try node(event, depth: depth + 1)) }
      return YAMLNode(content: .list(elements), line: begin)
    case .object:
      try require(depth: depth + 1)
      var object = YAMLObject()
      while let event = try element() {
        let line = line
        let key = try key(event, of: object)
        let value = try node(try next(), depth: depth + 1)
        object.append(YAMLObject.Member(key: key, line: line, value: value))
      }
      return YAMLNode(content: .object(object), line: begin)
    case .begin, .end, .endOfStream: throw refusal("a value is missing", hint: "write the value")
    }
  }

  /// Returns the next event inside a list or an object; nil at its end.
  private func element() throws(DomainError) -> Event? {
    let event = try next()
    if case .end = event { return nil }
    return event
  }

  private func key(_ event: Event, of object: YAMLObject) throws(DomainError) -> String {
    if object.members.count == limits.keys {
      throw refusal("there are more than \(limits.keys) keys", hint: "split the document")
    }
    guard case .scalar(let key, _) = event else {
      throw refusal("a key is a list or an object", hint: "write the key as text")
    }
    guard object[key] == nil else {
      throw refusal("the key \(Quoted(key)) is there twice", hint: "remove one of the two")
    }
    return key
  }

  private func require(depth: Int) throws(DomainError) {
    guard depth > limits.depth else { return }
    throw refusal("nested too deeply", hint: "use at most \(limits.depth) levels")
  }

  private func next() throws(DomainError) -> Event {
    var event = yaml_event_t()
    guard yaml_parser_parse(parser, &event) == 1 else { throw fault }
    defer { yaml_event_delete(&event) }
    line = Int(event.start_mark.line) + 1
    switch event.type {
    case YAML_ALIAS_EVENT:
      try count(event.data.alias.anchor)
      return .end
    case YAML_SCALAR_EVENT:
      let scalar = event.data.scalar
      try count(scalar.anchor)
      let text = String(
        decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length),
        as: UTF8.self
      )
      let isText = scalar.tag.map { String(cString: $0) == Self.text } ?? false
      return .scalar(text, isPlain: scalar.style == YAML_PLAIN_SCALAR_STYLE && !isText)
    case YAML_SEQUENCE_START_EVENT:
      try count(event.data.sequence_start.anchor)
      return .list
    case YAML_MAPPING_START_EVENT:
      try count(event.data.mapping_start.anchor)
      return .object
    case YAML_STREAM_START_EVENT, YAML_DOCUMENT_START_EVENT: return .begin
    // libyaml has no event after the end of the stream, but an empty one.
    case YAML_STREAM_END_EVENT, YAML_NO_EVENT: return .endOfStream
    default: return .end
    }
  }

  /// Counts a node, and refuses its anchor or alias.
  private func count(_ anchor: UnsafeMutablePointer<yaml_char_t>?) throws(DomainError) {
    nodes += 1
    if nodes > limits.nodes { throw limits.tooManyNodes(in: document) }
    if anchor != nil { throw refusal("anchors and aliases are not allowed", hint: "write the value again") }
  }

  /// The error of libyaml.
  private var fault: DomainError {
    let state = parser.pointee
    guard let problem = state.problem else { return DomainError(.unavailable, "no memory is left") }
    line = Int(state.problem_mark.line) + 1
    if state.error == YAML_READER_ERROR {
      // A character that YAML does not have: libyaml knows only the number of bytes before it.
      let before = UnsafeBufferPointer(start: state.input.string.start, count: state.problem_offset)
      line = before.count { $0 == UInt8(ascii: "\n") } + 1
    }
    var reason = String(cString: problem)
    if let context = state.context {
      reason += " \(String(cString: context)) of line \(state.context_mark.line + 1)"
    }
    return refusal(reason, hint: "correct the line, or the one above it")
  }

  private func refusal(_ reason: String, hint: String) -> DomainError {
    let details: JSONObject = ["document": .string(document), "line": .integer(line)]
    return DomainError(.invalidDocument, "\(document):\(line): \(reason)", hint: hint, details: details)
  }
}
