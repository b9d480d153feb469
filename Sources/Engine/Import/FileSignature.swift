internal import Domain

/// Recognises files by their first bytes that are no text, and so neither CSV nor JSON lines.
enum FileSignature {
  /// The number of first bytes that decide.
  static let length = 128

  /// Requires that a file does not begin like another kind of file.
  ///
  /// - Throws: `invalid_import` naming the kind and what to do.
  static func requireText(_ head: [UInt8]) throws(DomainError) {
    guard let (kind, hint) = kind(of: head) else { return }
    throw DomainError(.invalidImport, "the file is \(kind)", hint: hint)
  }

  private static let save = "open it in a spreadsheet, save the sheet as CSV (UTF-8), and import that file"

  private static func kind(of head: [UInt8]) -> (kind: String, hint: String)? {
    if head.starts(with: Array("PK".utf8)), head.count > 3,
      [0x0304, 0x0506, 0x0708].contains(
        Int(head[2]) << 8 | Int(head[3])
      )
    {
      let names = String(decoding: head.dropFirst(30), as: UTF8.self)
      if names.hasPrefix("mimetype") { return ("a document of LibreOffice (such as .ods)", save) }
      let office = ["[Content_Types].xml", "_rels/", "docProps/", "xl/"].contains { names.hasPrefix($0) }
      if office { return ("a workbook of Excel (.xlsx)", save) }
      return (
        "a ZIP archive", "unpack it, and import a CSV file or JSON lines; a workbook is to be saved as CSV"
      )
    }
    for (bytes, kind, hint) in signatures where head.starts(with: bytes) { return (kind, hint) }
    let start = String(decoding: head, as: UTF8.self).trimmingSpaces().lowercased()
    if ["<?xml", "<!doctype", "<html", "<table", "<meta"].contains(where: start.hasPrefix) {
      return ("a page of HTML or XML, whatever its name says", save)
    }
    return nil
  }

  private static let signatures: [([UInt8], kind: String, hint: String)] = [
    ([0xD0, 0xCF, 0x11, 0xE0], "a workbook of an old Excel (.xls)", save),
    ([0x1F, 0x8B], "compressed with gzip", "unpack it with `gunzip`, or pipe: `zcat FILE | fettle … -`"),
    (Array("BZh".utf8), "compressed with bzip2", "unpack it with `bunzip2`"),
    ([0xFD, 0x37, 0x7A, 0x58, 0x5A], "compressed with xz", "unpack it with `unxz`"),
    ([0x28, 0xB5, 0x2F, 0xFD], "compressed with zstd", "unpack it with `unzstd`"),
    ([0x37, 0x7A, 0xBC, 0xAF], "a 7-Zip archive", "unpack it, and import a CSV file or JSON lines"),
    (Array("Rar!".utf8), "a RAR archive", "unpack it, and import a CSV file or JSON lines"),
    (Array("%PDF-".utf8), "a PDF document", "export the table as CSV from the program that made it"),
    (Array("{\\rtf".utf8), "a document of a word processor (RTF)", save),
    (Array("SQLite format 3".utf8), "a database of SQLite", "export its tables as CSV, and import these"),
    (Array("PAR1".utf8), "a Parquet file", "convert it to CSV or JSON lines"),
    ([0x89, 0x50, 0x4E, 0x47], "an image", "import a CSV file or JSON lines"),
    ([0xFF, 0xD8, 0xFF], "an image", "import a CSV file or JSON lines"),
    (Array("GIF8".utf8), "an image", "import a CSV file or JSON lines"),
    ([0xFF, 0xFE, 0x00, 0x00], "encoded in UTF-32", "save it in UTF-8"),
    ([0x00, 0x00, 0xFE, 0xFF], "encoded in UTF-32", "save it in UTF-8"),
  ]
}
