internal import Domain

/// A file of the lines that an import refused, in the form of the imported file.
///
/// It has the original columns, then the line's number and the reason. An import ignores these two, so the
/// same command imports the corrected file. In JSON lines, a line that is not between braces is written unchanged.
package struct RefusedFile: Sendable {
  private let form: FileForm
  private let lines: [RefusedLine]

  package init(_ form: FileForm, _ lines: [RefusedLine]) {
    self.form = form
    self.lines = lines
  }

  /// Passes the bytes of the file to `body`, line by line. A CSV file without refused lines has only the
  /// heading.
  package func write(_ body: ([UInt8]) throws -> Void) throws {
    if form.hasMark { try body(form.encoding.mark) }
    if form.format == .csv {
      // Empty lines for the titles above, so that the headings stay in their line.
      for _ in 1..<max(form.headingLine, 1) { try body(encoded(Array("\r\n".utf8))) }
      try body(encoded(csv(form.heading, form.columns.names)))
    }
    for line in lines {
      switch form.format {
      case .csv: try body(encoded(csv(line.source, [String(line.line), line.reason])))
      case .jsonl: try body(encoded(json(line)))
      }
    }
  }

  /// Returns the bytes in the form's encoding. In UTF-8, a line with invalid bytes stays unchanged.
  private func encoded(_ bytes: [UInt8]) -> [UInt8] {
    form.encoding == .utf8 ? bytes : form.encoding.encode(bytes)
  }

  private func csv(_ source: [UInt8], _ more: [String]) -> [UInt8] {
    let fields = more.map { CSVField.text($0, delimiter: form.delimiter) }
    return source + fields.flatMap { [form.delimiter] + $0 } + Array("\r\n".utf8)
  }

  private func json(_ line: RefusedLine) -> [UInt8] {
    let text = String(validating: line.source, as: UTF8.self)
    guard let text, var object = (try? JSONValue(parsing: text))?.object else {
      return unread(line) + [UInt8(ascii: "\n")]
    }
    for (name, value) in more(line).members { object[name] = value }
    return Array(JSONValue.object(object).text.utf8) + [UInt8(ascii: "\n")]
  }

  private func more(_ line: RefusedLine) -> JSONObject {
    JSONObject([
      (form.columns.names[0], .integer(line.line)), (form.columns.names[1], .string(line.reason)),
    ])
  }

  /// Returns a line that cannot be read, such as one with a number out of range. Its text stays as it is, and the members
  /// come before its closing brace.
  private func unread(_ line: RefusedLine) -> [UInt8] {
    let isBlank = { (byte: UInt8) in byte <= UInt8(ascii: " ") }
    guard line.source.first(where: { !isBlank($0) }) == UInt8(ascii: "{"),
      let end = line.source.lastIndex(where: { !isBlank($0) }), line.source[end] == UInt8(ascii: "}")
    else { return line.source }
    let before = line.source[..<end]
    let needsComma = before.last { !isBlank($0) }.map { !"{,".utf8.contains($0) } ?? false
    let members = JSONValue.object(more(line)).text.utf8.dropFirst()
    return Array(before) + (needsComma ? [UInt8(ascii: ",")] : []) + Array(members)
  }
}

/// A field of a CSV file to be written.
enum CSVField {
  /// Returns the bytes of a field, quoted if necessary.
  static func text(_ text: String, delimiter: UInt8) -> [UInt8] {
    let needsQuotes = text.utf8.contains { $0 == delimiter || $0 == UInt8(ascii: "\"") || $0 < 0x20 }
    guard needsQuotes || text.hasPrefix(" ") || text.hasSuffix(" ") else { return Array(text.utf8) }
    let quote = UInt8(ascii: "\"")
    return [quote] + text.utf8.flatMap { $0 == quote ? [quote, quote] : [$0] } + [quote]
  }

  /// Returns a line of fields, without its end.
  static func line(_ fields: some Sequence<String>, delimiter: UInt8) -> [UInt8] {
    Array(fields.map { text($0, delimiter: delimiter) }.joined(separator: [delimiter]))
  }
}
