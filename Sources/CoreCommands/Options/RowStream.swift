internal import Engine
package import Terminal

/// Writes rows as they arrive, in bounded memory.
package struct RowStream {
  private var encoder: RowEncoder
  private let form: ExportForm
  private var pending = ""
  private var hasBegun = false

  package init(format: OutputFormat, columns: [Column], form: ExportForm = ExportForm()) {
    encoder = RowEncoder(format: format, columns: columns, on: .output, csv: form.csv)
    self.form = form
  }

  /// Writes a row. Output is flushed when more than 64 KiB are buffered.
  package mutating func write(_ row: [Cell]) throws {
    try begin()
    pending += encoder.encode(row)
    if pending.utf8.count > 65_536 { try send() }
  }

  /// Writes the rest of the output.
  package mutating func finish() throws {
    try begin()
    pending += encoder.end()
    try send()
  }

  private mutating func begin() throws {
    guard !hasBegun else { return }
    hasBegun = true
    if form.hasMark {
      var out = BufferedOutput()
      try out.write(form.encoding.mark)
      try out.flush()
    }
    pending += encoder.begin()
  }

  private mutating func send() throws {
    var out = BufferedOutput()
    try out.write(form.encoding.encodeExactly(pending))
    try out.flush()
    pending = ""
  }
}
