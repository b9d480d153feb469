/// Recognises the media type of a file by its content. Names and declared types are not trusted.
package enum Sniffer {
  /// Returns the media type of a file; nil for a type that is not accepted, such as HTML, SVG, programs and
  /// archives, and for files that are valid as two types.
  ///
  /// - Parameters:
  ///   - head: the first bytes, up to ``MeasuredUpload/window``.
  ///   - tail: the last bytes, up to ``MeasuredUpload/window``.
  ///   - declared: the type that the client declared; distinguishes CSV from plain text only.
  package static func type(head: [UInt8], tail: [UInt8], declared: String? = nil) -> MediaType? {
    if let image = image(head) { return image }
    // These are served as they were uploaded, so no second type may hide in them.
    guard !isMarkup(head), !isArchive(tail) else { return nil }
    if head.starts(with: pdfMark) { return isPDF(head, tail) ? .pdf : nil }
    guard isText(head), isText(tail) else { return nil }
    return declared == MediaType.csv.rawValue ? .csv : .text
  }

  private static let pdfMark = Array("%PDF-".utf8)

  private static func image(_ head: [UInt8]) -> MediaType? {
    if head.starts(with: [0xFF, 0xD8, 0xFF]) { return .jpeg }
    if head.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return .png }
    if head.starts(with: Array("GIF87a".utf8)) || head.starts(with: Array("GIF89a".utf8)) { return .gif }
    guard head.count >= 12 else { return nil }
    let kind = head[8..<12]
    if head.starts(with: Array("RIFF".utf8)), kind.elementsEqual("WEBP".utf8) { return .webp }
    guard head[4..<8].elementsEqual("ftyp".utf8) else { return nil }
    return ["heic", "heix", "heim", "heis", "mif1"].contains { kind.elementsEqual($0.utf8) } ? .heic : nil
  }

  /// True if the first KiB has a tag that browsers recognise as HTML, SVG or XML.
  private static func isMarkup(_ head: [UInt8]) -> Bool {
    let start = head.prefix(1_024).map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    let tags = [
      "<!doctype", "<html", "<head", "<body", "<script", "<svg", "<?xml", "<iframe", "<style", "<title",
      "<a ",
      "<img", "<object", "<embed", "<meta", "<link", "<table", "<div", "<p>", "<!--",
    ]
    return tags.contains { contains(start, Array($0.utf8)) }
  }

  /// True if the last bytes have the directory of a ZIP archive.
  private static func isArchive(_ tail: [UInt8]) -> Bool { contains(tail, [0x50, 0x4B, 0x05, 0x06]) }

  private static func isPDF(_ head: [UInt8], _ tail: [UInt8]) -> Bool {
    guard head.count > 8, (0x31...0x32).contains(head[5]), head[6] == UInt8(ascii: ".") else { return false }
    return contains(Array(tail.suffix(2_048)), Array("%%EOF".utf8))
  }

  /// True for UTF-8 without control characters, apart from tab, line feed, form feed and carriage return. A
  /// character that the window cuts in two is accepted.
  private static func isText(_ bytes: [UInt8]) -> Bool {
    guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || [0x09, 0x0A, 0x0C, 0x0D].contains($0) }) else {
      return false
    }
    let isWhole = bytes.count < MeasuredUpload.window
    let start = isWhole ? 0 : bytes.firstIndex { $0 & 0xC0 != 0x80 } ?? 0
    guard start < 4 else { return false }
    let cuts = isWhole ? 0...0 : 0...3
    return cuts.contains {
      String(validating: bytes[start..<max(start, bytes.count - $0)], as: UTF8.self) != nil
    }
  }

  private static func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
    guard let first = part.first, bytes.count >= part.count else { return false }
    return bytes.indices.dropLast(part.count - 1).contains { index in
      bytes[index] == first && bytes[index..<index + part.count].elementsEqual(part)
    }
  }
}
