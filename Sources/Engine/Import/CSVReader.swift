/// One record of a CSV file.
package struct CSVRecord: Sendable, Equatable {
  /// The line, counted from 1, on which it begins; a quoted field may carry it over several.
  package let line: Int
  /// Its cells, unquoted.
  package let fields: [String]
  /// The bytes it was read from, without the line end: what a file of refused lines repeats.
  package let source: [UInt8]
}

/// Why a CSV file could not be read further.
package struct CSVFault: Error, Sendable, Equatable {
  /// The line on which the fault begins.
  package let line: Int
  /// What is wrong, in plain words.
  package let reason: String
}

/// Reads RFC 4180 a piece at a time: quoted fields, doubled quotes, line ends of either kind, a byte order mark.
///
/// Feed it chunks of any size and take the records that are complete; memory stays at one record.
package struct CSVReader {
  private enum Place { case fieldStart, plain, quoted, quoteInQuoted, afterReturn }

  private var place = Place.fieldStart
  private var line = 1
  private var recordLine = 1
  private var field: [UInt8] = []
  private var fields: [String] = []
  private var source: [UInt8] = []
  private var isFirstByte = true
  private var bom: [UInt8] = []
  private let separator: UInt8

  /// - Parameter separator: the byte between fields, a comma unless the file says otherwise.
  package init(separator: UInt8 = UInt8(ascii: ",")) {
    self.separator = separator
  }

  /// Takes the next chunk and hands on every record it completes. Blank lines are passed over.
  package mutating func read(_ chunk: some Sequence<UInt8>, _ body: (CSVRecord) throws -> Void) throws {
    for byte in chunk {
      if isFirstByte {
        bom.append(byte)
        let mark: [UInt8] = [0xef, 0xbb, 0xbf]
        if bom == mark {
          isFirstByte = false
          continue
        }
        if mark.starts(with: bom) { continue }
        isFirstByte = false
        for held in bom where try take(held) { try body(endRecord()) }
        continue
      }
      if try take(byte) { try body(endRecord()) }
    }
  }

  /// Says that the file ended, and hands on a last record that no line end closed.
  package mutating func finish(_ body: (CSVRecord) throws -> Void) throws {
    if isFirstByte {
      isFirstByte = false
      for held in bom where try take(held) { try body(endRecord()) }
    }
    if place == .quoted { throw CSVFault(line: recordLine, reason: "a quoted field is not closed") }
    if !source.isEmpty {
      try endField()
      try body(endRecord())
    }
  }

  /// Takes one byte; true when it ends a record. (Handing the record on from here would have the compiler copy all
  /// that `body` holds for every byte.)
  private mutating func take(_ byte: UInt8) throws -> Bool {
    let newline = UInt8(ascii: "\n")
    if place == .afterReturn {
      place = .fieldStart
      if byte == newline { return false }
    }
    if byte == newline { line += 1 }
    if place == .quoted {
      source.append(byte)
      if byte == UInt8(ascii: "\"") { place = .quoteInQuoted } else { field.append(byte) }
      return false
    }
    if byte == newline || byte == UInt8(ascii: "\r") {
      if byte == UInt8(ascii: "\r") { line += 1 }
      place = byte == newline ? .fieldStart : .afterReturn
      guard !source.isEmpty else {
        recordLine = line
        return false
      }
      try endField()
      return true
    }
    source.append(byte)
    switch (place, byte) {
    case (_, separator):
      try endField()
      place = .fieldStart
    case (.fieldStart, UInt8(ascii: "\"")):
      place = .quoted
    case (.quoteInQuoted, UInt8(ascii: "\"")):
      field.append(byte)
      place = .quoted
    case (.quoteInQuoted, _):
      throw CSVFault(line: line, reason: "text follows a closing quote")
    default:
      field.append(byte)
      place = .plain
    }
    return false
  }

  private mutating func endField() throws {
    guard let text = String(validating: field, as: UTF8.self) else {
      throw CSVFault(line: recordLine, reason: "a field is not valid UTF-8")
    }
    fields.append(text)
    field.removeAll(keepingCapacity: true)
  }

  private mutating func endRecord() -> CSVRecord {
    defer {
      fields.removeAll(keepingCapacity: true)
      source.removeAll(keepingCapacity: true)
      recordLine = line
    }
    return CSVRecord(line: recordLine, fields: fields, source: source)
  }
}
