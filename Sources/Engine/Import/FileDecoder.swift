internal import Domain

/// Converts a file to UTF-8 in chunks, and drops its byte order mark.
///
/// A byte order mark overrides the named encoding. UTF-8 is passed on unchecked: readers check each line, so
/// that the error names it.
struct FileDecoder {
  /// The encoding of the file; final after the first bytes.
  private(set) var encoding: FileEncoding
  /// True if the file begins with a byte order mark.
  private(set) var hasMark = false

  private let isNamed: Bool
  private var head: [UInt8]? = []
  private var line = 1
  /// The first byte of a UTF-16 code unit whose second byte is in the next chunk; nil if there is none.
  private var half: UInt8?
  /// The first unit of a surrogate pair whose second unit is still to come; nil if there is none.
  private var leading: UInt16?

  /// - Parameter encoding: the encoding that the user named; nil for UTF-8, unless a byte order mark says
  ///   otherwise.
  init(_ encoding: FileEncoding?) {
    self.encoding = encoding ?? .utf8
    isNamed = encoding != nil
  }

  /// Converts the next chunk and passes it to `body`.
  ///
  /// - Throws: `invalid_import` naming the line with bytes that are invalid in the encoding, or line 1 for
  ///   NUL bytes in a file without a named encoding; also for a file that is no text, such as a workbook.
  mutating func decode(_ chunk: ArraySlice<UInt8>, _ body: (ArraySlice<UInt8>) throws -> Void) throws {
    guard let begun = head else { return try convert(chunk, body) }
    let start = begun + chunk
    guard start.count >= FileSignature.length else {
      head = start
      return
    }
    try begin(start, body)
  }

  /// Ends the file and converts pending bytes.
  ///
  /// - Throws: `invalid_import` if the file ends within a character.
  mutating func finish(_ body: (ArraySlice<UInt8>) throws -> Void) throws {
    if let start = head { try begin(start, body) }
    if half != nil || leading != nil { throw fault("the file ends within a character") }
  }

  private mutating func begin(_ start: [UInt8], _ body: (ArraySlice<UInt8>) throws -> Void) throws {
    head = nil
    try FileSignature.requireText(start)
    let marked: [FileEncoding] = [.utf8, .utf16LittleEndian, .utf16BigEndian]
    var rest = start[...]
    if let found = marked.first(where: { start.starts(with: $0.mark) }) {
      encoding = found
      hasMark = true
      rest = start.dropFirst(found.mark.count)
    } else if !isNamed, start.contains(0) {
      throw DomainError(
        .invalidImport,
        "line 1: the file contains NUL bytes, so it may be UTF-16",
        hint: "add `--encoding utf-16`",
        details: ["line": 1]
      )
    }
    try convert(rest, body)
  }

  private mutating func convert(_ bytes: ArraySlice<UInt8>, _ body: (ArraySlice<UInt8>) throws -> Void) throws
  {
    switch encoding {
    case .utf8: try body(bytes)
    case .windows1252: try body(try windows1252(bytes)[...])
    case .utf16, .utf16LittleEndian: try body(try utf16(bytes, isBigEndian: false)[...])
    case .utf16BigEndian: try body(try utf16(bytes, isBigEndian: true)[...])
    }
  }

  private mutating func windows1252(_ bytes: ArraySlice<UInt8>) throws -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count + bytes.count / 8)
    for byte in bytes {
      if byte == UInt8(ascii: "\n") { line += 1 }
      if byte < 0x80 {
        text.append(byte)
      } else if let scalar = Windows1252.scalar(byte) {
        text += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
      } else {
        throw fault("byte 0x\(String(byte, radix: 16)) is no character of Windows-1252")
      }
    }
    return text
  }

  private mutating func utf16(_ bytes: ArraySlice<UInt8>, isBigEndian: Bool) throws -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count)
    for byte in bytes {
      guard let first = half else {
        half = byte
        continue
      }
      half = nil
      let unit = isBigEndian ? UInt16(first) << 8 | UInt16(byte) : UInt16(byte) << 8 | UInt16(first)
      if let high = leading {
        guard UTF16.isTrailSurrogate(unit) else { throw fault("half a surrogate pair in UTF-16") }
        leading = nil
        let value = 0x10000 + (UInt32(high) - 0xd800) << 10 + (UInt32(unit) - 0xdc00)
        text += Unicode.Scalar(value).flatMap { UTF8.encode($0) } ?? UTF8.encodedReplacementCharacter
        continue
      }
      if UTF16.isLeadSurrogate(unit) {
        leading = unit
        continue
      }
      guard let scalar = Unicode.Scalar(unit) else { throw fault("half a surrogate pair in UTF-16") }
      if unit == 0x0a { line += 1 }
      text += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
    }
    return text
  }

  private func fault(_ reason: String) -> DomainError {
    DomainError(
      .invalidImport,
      "line \(line): \(reason)",
      hint: "name the file's encoding with `--encoding`",
      details: ["line": .integer(line)]
    )
  }
}
