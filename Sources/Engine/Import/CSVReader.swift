package import Domain

/// One record of a CSV file.
package struct CSVRecord: Sendable, Equatable {
  /// The line on which the record begins, counted from 1. A quoted field may span several lines.
  package let line: Int
  /// The record's fields, unquoted.
  package let fields: [String]
  /// The bytes of the record without the line end, as the file of refused lines repeats them.
  package let source: [UInt8]
  /// The reason why the record is refused; nil if it is valid. Later records can still be read.
  package let fault: String?

  package init(line: Int, fields: [String], source: [UInt8], fault: String? = nil) {
    self.line = line
    self.fields = fields
    self.source = source
    self.fault = fault
  }
}

/// The error that ends the reading of a CSV file.
package struct CSVFault: Error, Sendable, Equatable {
  /// The line on which the faulty record begins.
  package let line: Int
  /// The reason, for a message.
  package let reason: String
}

/// Reads RFC 4180 in chunks of any size: quoted fields, doubled quotes, and line ends LF, CR LF or CR.
///
/// The reader holds one record in memory.
package struct CSVReader {
  private enum Place { case fieldStart, plain, quoted, quoteInQuoted, afterReturn }

  private var place = Place.fieldStart
  private var line = 1
  private var recordLine = 1
  private var field: [UInt8] = []
  private var fields: [String] = []
  private var source: [UInt8] = []
  private var fault: String?
  private let delimiter: UInt8
  private let limits: DocumentLimits

  /// - Parameters:
  ///   - delimiter: the byte between fields.
  ///   - limits: the maximum size of a record; a larger one probably has an unclosed quote.
  package init(delimiter: UInt8 = UInt8(ascii: ","), limits: DocumentLimits = .data) {
    self.delimiter = delimiter
    self.limits = limits
  }

  /// Reads the next chunk and passes every record that it completes to `body`. Blank lines are skipped.
  ///
  /// - Throws: `CSVFault` for a record of more bytes than the limit.
  package mutating func read(_ chunk: ArraySlice<UInt8>, _ body: (CSVRecord) throws -> Void) throws {
    var rest = chunk
    while let byte = rest.first {
      let plain = rest.prefix(plainBytes(of: rest))
      rest = rest[plain.endIndex...]
      if plain.isEmpty {
        rest = rest.dropFirst()
        if take(byte) { try body(endRecord()) }
      } else {
        source += plain
        field += plain
        if place == .fieldStart { place = .plain }
      }
    }
    guard source.count <= limits.bytes else {
      throw CSVFault(
        line: recordLine,
        reason: "the record is longer than \(limits.bytes / 1_000_000) MB; is a quote not closed?"
      )
    }
  }

  /// Ends the file and passes a last record without a line end to `body`.
  ///
  /// - Throws: `CSVFault` if a quoted field is not closed.
  package mutating func finish(_ body: (CSVRecord) throws -> Void) throws {
    if place == .quoted { throw CSVFault(line: recordLine, reason: "a quoted field is not closed") }
    if !source.isEmpty {
      endField()
      try body(endRecord())
    }
  }

  /// Returns how many of the next bytes belong to the field as they are, so that they are taken at once.
  private func plainBytes(of bytes: ArraySlice<UInt8>) -> Int {
    let newline = UInt8(ascii: "\n")
    let quote = UInt8(ascii: "\"")
    return bytes.withUnsafeBufferPointer { bytes in
      switch place {
      case .quoteInQuoted, .afterReturn: 0
      case .quoted: bytes.firstIndex { $0 == quote || $0 == newline } ?? bytes.count
      case .fieldStart where bytes.first == quote: 0
      case .fieldStart, .plain:
        bytes.firstIndex { $0 == delimiter || $0 == newline || $0 == UInt8(ascii: "\r") } ?? bytes.count
      }
    }
  }

  /// Returns true if this byte ends a record. The caller passes the record on: a call of `body` here would
  /// make the compiler copy everything that `body` holds for each byte.
  private mutating func take(_ byte: UInt8) -> Bool {
    let newline = UInt8(ascii: "\n")
    if place == .afterReturn {
      place = .fieldStart
      if byte == newline {
        recordLine = line
        return false
      }
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
      endField()
      return true
    }
    source.append(byte)
    switch (place, byte) {
    case (_, delimiter):
      endField()
      place = .fieldStart
    case (.fieldStart, UInt8(ascii: "\"")):
      place = .quoted
    case (.quoteInQuoted, UInt8(ascii: "\"")):
      field.append(byte)
      place = .quoted
    case (.quoteInQuoted, _):
      // The rest of the line is read as plain text, so that the next line can be read.
      fault = fault ?? "text follows a closing quote"
      field.append(byte)
      place = .plain
    default:
      field.append(byte)
      place = .plain
    }
    return false
  }

  private mutating func endField() {
    guard fields.count < limits.nodes else {
      fault = fault ?? "the record has more than \(limits.nodes) fields"
      return field.removeAll(keepingCapacity: true)
    }
    if let text = String(validating: field, as: UTF8.self) {
      fields.append(text)
    } else {
      fault = fault ?? ImportFault.notUTF8
      fields.append(String(decoding: field, as: UTF8.self))
    }
    field.removeAll(keepingCapacity: true)
  }

  private mutating func endRecord() -> CSVRecord {
    defer {
      fields.removeAll(keepingCapacity: true)
      source.removeAll(keepingCapacity: true)
      recordLine = line
      fault = nil
    }
    return CSVRecord(line: recordLine, fields: fields, source: source, fault: fault)
  }
}

/// Reasons shared by several readers.
enum ImportFault {
  static let notUTF8 = "the line is not valid UTF-8"
}
