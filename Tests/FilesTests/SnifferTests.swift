import Files
import Testing

/// Media types by content.
@Suite struct SnifferTests {
  private static func type(_ bytes: [UInt8], declared: String? = nil) -> MediaType? {
    Sniffer.type(head: bytes, tail: bytes, declared: declared)
  }

  @Test(arguments: [
    ([0xFF, 0xD8, 0xFF, 0xE0] as [UInt8], MediaType.jpeg),
    ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], .png),
    (Array("GIF89a".utf8), .gif),
    (Array("RIFF\0\0\0\0WEBPVP8 ".utf8), .webp),
    (Array("\0\0\0\u{18}ftypheic\0\0\0\0".utf8), .heic),
    (Array("%PDF-1.7\n1 0 obj\n%%EOF\n".utf8), .pdf),
    (Array("Two bolts are loose.\r\n".utf8), .text),
    (Array("räksmörgås".utf8), .text),
  ])
  func `a type is recognised by the content`(bytes: [UInt8], type: MediaType) {
    #expect(Self.type(bytes) == type)
  }

  @Test func `only a declaration tells CSV from text`() {
    let bytes = Array("a,b\n1,2\n".utf8)
    #expect(Self.type(bytes) == .text)
    #expect(Self.type(bytes, declared: "text/csv") == .csv)
    #expect(Self.type(Array("<html>".utf8), declared: "text/csv") == nil)
  }

  @Test(arguments: [
    "<!DOCTYPE html><script>alert(1)</script>", "  <svg xmlns='http://www.w3.org/2000/svg'/>",
    "<?xml version='1.0'?>",
    "a note\n<SCRIPT>alert(1)</SCRIPT>", "\u{FEFF}<html>", "%PDF-1.7 <script>\n%%EOF",
  ])
  func `HTML, SVG and XML are of no accepted type`(text: String) {
    #expect(Self.type(Array(text.utf8)) == nil)
    #expect(Self.type(Array(text.utf8), declared: "image/jpeg") == nil)
  }

  @Test func `programs, archives and unfinished characters are of no accepted type`() {
    #expect(Self.type([0x7F, 0x45, 0x4C, 0x46, 2, 1, 1, 0]) == nil)
    #expect(Self.type([0x50, 0x4B, 0x03, 0x04, 0x14, 0]) == nil)
    #expect(Self.type(Array("MZ\u{90}\0".utf8)) == nil)
    #expect(Self.type([0x61, 0xC3]) == nil)
    #expect(Self.type([0x61, 0x00, 0x62]) == nil)
    #expect(
      Self.type([]) == .text,
      "an empty file has no bytes that speak against text; uploads refuse it before"
    )
  }

  @Test func `a PDF that is also a ZIP archive, or has no end, is refused`() {
    let pdf = Array("%PDF-1.7\n1 0 obj\n%%EOF\n".utf8)
    #expect(Self.type(pdf + [0x50, 0x4B, 0x05, 0x06] + [UInt8](repeating: 0, count: 18)) == nil)
    #expect(Self.type(Array("%PDF-1.7\n1 0 obj\n".utf8)) == nil)
    #expect(Self.type(Array("x%PDF-1.7\n%%EOF\n".utf8)) == .text, "not a PDF: it does not begin as one")
  }

  @Test func `a window may cut a character in two`() {
    let text = Array(String(repeating: "å", count: MeasuredUpload.window).utf8)
    let head = Array(text.prefix(MeasuredUpload.window - 1) + text.prefix(1))
    let tail = Array(text.dropFirst().prefix(MeasuredUpload.window))
    #expect(Sniffer.type(head: head, tail: tail) == .text)
  }
}
