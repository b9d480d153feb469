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
    try cells(of: columns, in: line).map { cell in
      guard case .text(let text) = cell else { return nil }
      return text
    }
  }

  /// Returns true if one of some columns is not null.
  ///
  /// - Throws: `invalid_document`.
  static func hasValue(in columns: [String], of line: [UInt8]) throws -> Bool {
    try cells(of: columns, in: line).contains { cell in
      guard case .null = cell else { return true }
      return false
    }
  }

  /// A column of a row.
  private enum Cell {
    case null
    case text(String)
    case other
  }

  private static func cells(of columns: [String], in line: [UInt8]) throws -> [Cell] {
    if let found = line.withUnsafeBufferPointer({ scanned(columns, $0) }) { return found }
    let row = try object(line)
    return columns.map { column in
      guard let value = row[column], !value.isNull else { return .null }
      return value.string.map(Cell.text) ?? .other
    }
  }

  /// Returns the columns of a line in PostgreSQL's form; nil for another form.
  private static func scanned(_ columns: [String], _ line: UnsafeBufferPointer<UInt8>) -> [Cell]? {
    var scan = LineScan(line)
    guard scan.take(UInt8(ascii: "{")) else { return nil }
    var found = [Cell](repeating: .null, count: columns.count)
    while true {
      guard let name = scan.string(), !name.contains(UInt8(ascii: "\\")), scan.take(UInt8(ascii: ":")) else {
        return nil
      }
      let column = columns.firstIndex { name.elementsEqual($0.utf8) }
      if let text = scan.string() {
        if let column {
          guard let plain = plain(text) else { return nil }
          found[column] = .text(plain)
        }
      } else {
        if let column { found[column] = scan.isAtNull ? .null : .other }
        guard scan.skip() else { return nil }
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
    guard let start = place(of: wanted, in: line) else {
      throw ArchiveReader.fault("a line has no \(column)")
    }
    return line[..<start] + quoted(new) + line[(start + wanted.count)...]
  }
}

extension ArchiveLine {
  /// Returns where some bytes occur first in a line; nil if they do not. Fast if their first byte is rare.
  private static func place(of wanted: [UInt8], in line: [UInt8]) -> Int? {
    line.withUnsafeBytes { line in
      guard let base = line.baseAddress, let first = wanted.first else { return nil }
      var place = 0
      while place + wanted.count <= line.count,
        let found = memchr(base + place, Int32(clamping: first), line.count - wanted.count - place + 1)
      {
        if memcmp(found, wanted, wanted.count) == 0 { return UnsafeRawPointer(found) - base }
        place = UnsafeRawPointer(found) - base + 1
      }
      return nil
    }
  }
}
