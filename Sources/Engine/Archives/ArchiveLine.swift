internal import Domain
internal import Glibc
internal import Secrets
internal import Values

/// A line of an archive: a row as an object of JSON.
///
/// PostgreSQL has written the line without spaces. Where few columns are wanted of many rows, it is searched instead of parsed.
enum ArchiveLine {
  /// Returns the object of a line.
  ///
  /// - Throws: `invalid_document`.
  static func object(_ line: [UInt8]) throws -> JSONObject {
    guard let object = try JSONValue(parsing: String(decoding: line, as: UTF8.self), limits: .stored).object
    else { throw ArchiveReader.fault("a line is no object") }
    return object
  }

  /// Returns the bytes of a column as PostgreSQL writes them, such as `\\x00ff`; nil for another text.
  static func bytes(_ text: String) -> [UInt8]? {
    text.hasPrefix("\\x") ? Hex.decode(String(text.dropFirst(2))) : nil
  }

  /// Returns the texts of some columns, in their order; nil for a column that is null, no text, or not in the line.
  ///
  /// - Throws: `invalid_document`.
  static func strings(of columns: [String], in line: [UInt8]) throws -> [String?] {
    if let found = line.withUnsafeBufferPointer({ scanned(columns, $0) }) { return found }
    let row = try object(line)
    return columns.map { row[$0]?.string }
  }

  /// Returns the texts of columns of a line in PostgreSQL's form; nil for another form.
  private static func scanned(_ columns: [String], _ line: UnsafeBufferPointer<UInt8>) -> [String?]? {
    var scan = LineScan(line)
    guard scan.take(UInt8(ascii: "{")) else { return nil }
    var found = [String?](repeating: nil, count: columns.count)
    while true {
      guard let name = scan.string(), !name.contains(UInt8(ascii: "\\")), scan.take(UInt8(ascii: ":")) else {
        return nil
      }
      let column = columns.firstIndex { name.elementsEqual($0.utf8) }
      if let text = scan.string() {
        if let column {
          guard let plain = plain(text) else { return nil }
          found[column] = plain
        }
      } else if !scan.skip() {
        return nil
      }
      if scan.take(UInt8(ascii: "}")) { return scan.isAtEnd ? found : nil }
      guard scan.take(UInt8(ascii: ",")) else { return nil }
    }
  }

  /// Returns a text without its only possible escape here, the backslash at the beginning of bytes; nil with other escapes.
  private static func plain(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> String? {
    let escape = UInt8(ascii: "\\")
    let isBytes = text.starts(with: [escape, escape])
    let rest = isBytes ? text.dropFirst(2) : text
    guard !rest.contains(escape) else { return nil }
    return (isBytes ? "\\" : "") + String(decoding: rest, as: UTF8.self)
  }

  /// Returns a line in which a column with bytes has other ones. The rest stays as PostgreSQL has written it.
  static func replacing(_ column: String, _ old: [UInt8], by new: [UInt8], in line: [UInt8]) throws -> [UInt8]
  {
    guard old != new else { return line }
    let quoted = { (bytes: [UInt8]) in Array("\"\(column)\":\"\\\\x\(Hex.encode(bytes))\"".utf8) }
    let wanted = quoted(old)
    let start = line.withUnsafeBytes { line in
      wanted.withUnsafeBytes { wanted in
        memmem(line.baseAddress, line.count, wanted.baseAddress, wanted.count).map {
          UnsafeRawPointer($0) - UnsafeRawPointer(line.baseAddress.unsafelyUnwrapped)
        }
      }
    }
    guard let start else { throw ArchiveReader.fault("a line has no \(column)") }
    return line[..<start] + quoted(new) + line[(start + wanted.count)...]
  }
}

/// A position in a line that moves from value to value.
private struct LineScan {
  private let line: UnsafeBufferPointer<UInt8>
  private var place = 0

  init(_ line: UnsafeBufferPointer<UInt8>) { self.line = line }

  var isAtEnd: Bool { place == line.count }

  /// Moves past a byte; false if another one is here.
  mutating func take(_ byte: UInt8) -> Bool {
    guard place < line.count, line[place] == byte else { return false }
    place += 1
    return true
  }

  /// Returns a text with its escapes, and moves past it; nil if another value is here.
  mutating func string() -> Slice<UnsafeBufferPointer<UInt8>>? {
    let start = place + 1
    guard place < line.count, line[place] == UInt8(ascii: "\""), let end = end(ofStringFrom: start) else {
      return nil
    }
    place = end + 1
    return line[start..<end]
  }

  /// Returns the place of the quotation mark that ends a text; nil if there is none.
  private func end(ofStringFrom start: Int) -> Int? {
    var end = start
    while end < line.count, line[end] != UInt8(ascii: "\"") {
      end += line[end] == UInt8(ascii: "\\") ? 2 : 1
    }
    return end < line.count ? end : nil
  }

  /// Moves past a value: to the comma or the brace that follows it. False at the end of the line.
  mutating func skip() -> Bool {
    var depth = 0
    while place < line.count {
      switch line[place] {
      case UInt8(ascii: "\""):
        guard let end = end(ofStringFrom: place + 1) else { return false }
        place = end
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth == 0 { return true }
        depth -= 1
      case UInt8(ascii: ","):
        if depth == 0 { return true }
      default: break
      }
      place += 1
    }
    return false
  }
}
