internal import Domain

/// Splits bytes into lines, in chunks. It skips blank lines and holds one line in memory.
struct LineReader {
  private var pending: [UInt8] = []
  private var line = 1

  /// Reads the next chunk and passes every line that it completes to `body`, with its number from 1.
  ///
  /// - Throws: `invalid_import` for a line of more than 16 MB.
  mutating func read(_ chunk: ArraySlice<UInt8>, _ body: (Int, [UInt8]) throws -> Void) throws {
    var rest = chunk
    while let newline = rest.firstIndex(of: UInt8(ascii: "\n")) {
      pending += rest[..<newline]
      rest = rest[(newline + 1)...]
      try end(body)
    }
    pending += rest
    guard pending.count <= DocumentLimits.data.bytes else {
      throw DomainError(
        .invalidImport,
        "line \(line): the line is longer than \(DocumentLimits.data.bytes / 1_000_000) MB",
        details: ["line": .integer(line)]
      )
    }
  }

  /// Ends the file and passes a last line without a line end to `body`.
  mutating func finish(_ body: (Int, [UInt8]) throws -> Void) throws { try end(body) }

  private mutating func end(_ body: (Int, [UInt8]) throws -> Void) throws {
    defer {
      pending.removeAll(keepingCapacity: true)
      line += 1
    }
    if pending.last == UInt8(ascii: "\r") { pending.removeLast() }
    guard pending.contains(where: { $0 > UInt8(ascii: " ") }) else { return }
    try body(line, pending)
  }
}
