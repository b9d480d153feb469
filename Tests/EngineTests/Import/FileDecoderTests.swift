import Domain
import Testing

@testable import Engine

@Suite struct FileDecoderTests {
  private static let text = "Datum;Maschine\r\n2004-07-01;„Größe“ €5 – 门 🚜\r\n"

  /// Decodes a file in chunks of one size.
  private static func decoded(
    _ bytes: [UInt8],
    as encoding: FileEncoding? = nil,
    by size: Int = 3
  ) throws -> (text: String, encoding: FileEncoding, hasMark: Bool) {
    var decoder = FileDecoder(encoding)
    var text: [UInt8] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      try decoder.decode(rest.prefix(size)) { text += $0 }
      rest = rest.dropFirst(size)
    }
    try decoder.finish { text += $0 }
    return (String(decoding: text, as: UTF8.self), decoder.encoding, decoder.hasMark)
  }

  @Test(arguments: [FileEncoding.utf8, .utf16LittleEndian, .utf16BigEndian], 1...7)
  func `a byte order mark decides the encoding, whatever was named`(encoding: FileEncoding, size: Int) throws
  {
    let bytes = encoding.mark + encoding.encode(Self.text.utf8)
    for named in [nil, FileEncoding.windows1252] {
      let decoded = try Self.decoded(bytes, as: named, by: size)
      #expect(decoded.text == Self.text && decoded.encoding == encoding && decoded.hasMark)
    }
  }

  @Test(arguments: [FileEncoding.utf8, .utf16, .utf16LittleEndian, .utf16BigEndian])
  func `a file without a mark is read in the encoding that was named`(encoding: FileEncoding) throws {
    let decoded = try Self.decoded(encoding.encode(Self.text.utf8), as: encoding)
    #expect(decoded.text == Self.text && !decoded.hasMark)
  }

  @Test func `every byte of Windows-1252 with a character is read and written back`() throws {
    let bytes = (UInt8.min...UInt8.max).filter { Windows1252.scalar($0) != nil }
    #expect(bytes.count == 251)
    let text = try Self.decoded(bytes, as: .windows1252).text
    #expect(text.unicodeScalars.contains("€") && text.unicodeScalars.contains("ß"))
    #expect(FileEncoding.windows1252.encode(text.utf8) == bytes)
    #expect(FileEncoding.windows1252.encode("门".utf8) == [UInt8(ascii: "?")])
  }

  @Test func `bytes that the encoding lacks are refused with their line`() throws {
    let code = try #require(refusal { try Self.decoded(Array("a\nb\n".utf8) + [0x81], as: .windows1252) })
    #expect(code.message == "line 3: byte 0x81 is no character of Windows-1252")
    let half = FileEncoding.utf16.encode("a\n".utf8) + [0x00, 0xdc, 0x41, 0x00]
    #expect(
      try #require(refusal { try Self.decoded(half, as: .utf16) }).message.hasPrefix(
        "line 2: half a surrogate"
      )
    )
    let cut = try #require(
      refusal { try Self.decoded(FileEncoding.utf16.encode("ab".utf8).dropLast(1), as: .utf16) }
    )
    #expect(cut.code == .invalidImport)
  }

  @Test func `UTF-16 that nobody named is recognised by its NUL bytes`() throws {
    let refused = try #require(
      refusal { try Self.decoded(FileEncoding.utf16.encode(Self.text.utf8), by: 100) }
    )
    #expect(refused.hint == "add `--encoding utf-16`")
  }

  @Test func `encodings and delimiters go by their usual names`() throws {
    #expect(try FileEncoding(named: "CP1252") == .windows1252 && FileEncoding(named: "UTF16") == .utf16)
    #expect(try FileEncoding(named: "latin1") == .windows1252 && FileEncoding(named: "utf_8") == .utf8)
    #expect(refusal { try FileEncoding(named: "windows-1253") }?.hint == "did you mean windows-1252?")
    #expect(try FileLayout.delimiter(named: ";") == UInt8(ascii: ";"))
    #expect(try FileLayout.delimiter(named: "tab") == UInt8(ascii: "\t"))
    for bad in ["", ";;", "\"", "a", "1", "\n", "ö"] {
      #expect(refusal { try FileLayout.delimiter(named: bad) }?.code == .invalidInput)
    }
  }

  private func refusal<Value>(_ body: () throws -> Value) -> DomainError? {
    do {
      _ = try body()
      return nil
    } catch {
      return error as? DomainError
    }
  }
}

extension FileDecoderTests {
  private static func decoded(_ bytes: ArraySlice<UInt8>, as encoding: FileEncoding) throws -> String {
    try decoded(Array(bytes), as: encoding).text
  }
}
