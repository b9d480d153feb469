internal import Domain

/// The lines of spreadsheets that are no records: a line `sep=;`, empty rows, and totals.
enum FileLines {
  /// Returns the delimiter that a first line such as `sep=;` names; nil for another line. Excel writes and reads it.
  static func separator(in record: CSVRecord) -> UInt8? {
    guard record.line == 1 else { return nil }
    let line = record.source.filter { $0 != UInt8(ascii: "\"") }
    guard line.count == 5, String(decoding: line[..<4], as: UTF8.self).lowercased() == "sep=" else {
      return nil
    }
    return ",;|:^~!#&*/\t".utf8.contains(line[4]) ? line[4] : nil
  }

  /// True for a line in which every field is empty: a row of a sheet that somebody has cleared.
  static func isBlank(_ record: CSVRecord) -> Bool {
    record.fault == nil && record.fields.allSatisfy { $0.utf8.allSatisfy { $0 <= 0x20 } || $0 == "\u{A0}" }
  }

  /// Returns the word with which a line of totals begins; nil for another line. Such a line has more empty fields than
  /// others, or fewer fields than the heading.
  static func total(in record: CSVRecord, width: Int) -> String? {
    let isFilled = { (field: String) in !field.trimmingSpaces().isEmpty }
    guard record.fields.count != width || record.fields.count(where: isFilled) * 2 <= width,
      let first = record.fields.first(where: isFilled)
    else { return nil }
    let word = first.trimmingSpaces().lowercased().filter { !":.*= ".contains($0) }
    return totals.contains(word) ? first.trimmingSpaces() : nil
  }

  private static let totals: Set<String> = [
    "total", "totals", "grandtotal", "subtotal", "sum", "sumtotal", "summe", "gesamt", "gesamtsumme",
    "zwischensumme",
    "summa", "totalt", "totalsumma", "delsumma", "sammanlagt", "ialt", "totaal", "somme", "totale", "suma",
    "razem",
    "yhteensä", "итого", "всего", "合計", "总计",
  ]
}
