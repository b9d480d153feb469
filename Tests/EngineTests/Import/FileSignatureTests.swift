import Domain
import Testing

@testable import Engine

@Suite struct FileSignatureTests {
  private static let local: [UInt8] = [0x50, 0x4B, 0x03, 0x04] + Array(repeating: 0, count: 26)

  /// The first bytes of a file, and a word of the message or the hint.
  static let files: [(head: [UInt8], word: String)] = [
    (local + Array("[Content_Types].xml".utf8), ".xlsx"),
    (local + Array("mimetypeapplication/vnd.oasis.opendocument.spreadsheet".utf8), ".ods"),
    (local + Array("orders.csv".utf8), "ZIP"),
    ([0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1], ".xls"), ([0x1F, 0x8B, 0x08], "gunzip"),
    (Array("%PDF-1.7".utf8), "PDF"),
    (Array("<html><table>".utf8), "HTML"), (Array("\n<?xml version".utf8), "XML"),
    ([0xFF, 0xFE, 0x00, 0x00, 0x41], "UTF-32"), ([0x28, 0xB5, 0x2F, 0xFD], "zstd"),
    (Array("BZh91AY".utf8), "bunzip2"),
    ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], "unxz"), (Array("SQLite format 3\0".utf8), "SQLite"),
    ([0x89, 0x50, 0x4E, 0x47], "image"),
  ]

  @Test(arguments: files)
  func `a file that is no text is named with what to do`(head: [UInt8], word: String) throws {
    for encoding in [nil, FileEncoding.windows1252] {
      var decoder = FileDecoder(encoding)
      let error = #expect(throws: DomainError.self) {
        try decoder.decode(head[...]) { _ in }
        try decoder.finish { _ in }
      }
      #expect(error?.code == .invalidImport)
      let text = "\(error?.message ?? "") \(error?.hint ?? "")"
      #expect(text.contains(word), "\(text)")
    }
  }

  @Test(arguments: ["Asset,Text\n", "PK,Text\n", "BZ,h\n", "Name <html>\n", "\"<b>\",x\n"])
  func `a text is no other file`(_ text: String) throws {
    #expect(throws: Never.self) { try FileSignature.requireText(Array(text.utf8)) }
  }
}
