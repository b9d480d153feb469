package import Terminal

/// Writes rows as they arrive, in bounded memory.
package struct RowStream {
  private var encoder: RowEncoder
  private var pending = ""
  private var hasBegun = false

  package init(format: OutputFormat, columns: [Column]) {
    encoder = RowEncoder(format: format, columns: columns, on: .output)
  }

  /// Writes a row. Output is flushed when more than 64 KiB are buffered.
  package mutating func write(_ row: [Cell]) throws {
    if !hasBegun { pending += encoder.begin() }
    hasBegun = true
    pending += encoder.encode(row)
    if pending.utf8.count > 65_536 { try send() }
  }

  /// Writes the rest of the output.
  package mutating func finish() throws {
    if !hasBegun { pending += encoder.begin() }
    hasBegun = true
    pending += encoder.end()
    try send()
  }

  private mutating func send() throws {
    var out = BufferedOutput()
    try out.write(pending)
    try out.flush()
    pending = ""
  }
}
