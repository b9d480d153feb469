internal import Domain

extension FileLayout {
  /// The delimiters that a heading line can tell, in the order of preference.
  static let common: KeyValuePairs = [
    "comma": UInt8(ascii: ","), "semicolon": UInt8(ascii: ";"), "tab": UInt8(ascii: "\t"),
    "pipe": UInt8(ascii: "|"),
  ]

  /// Returns the layout with the delimiter of a file. A stated one stays.
  ///
  /// The delimiter is the one that splits the heading line into headings that fit; otherwise the only one that
  /// splits it at all. A comma wins over the others, as before.
  ///
  /// - Parameter fits: true for the headings that the import needs.
  /// - Throws: `invalid_import` if the file has no first line or is no text, `not_found` without a file.
  package func settled(for path: String, fits: ([String]) -> Bool) throws -> FileLayout {
    guard format == .csv, delimiter == nil else { return self }
    var found = self
    var splitting: [UInt8] = []
    for (_, delimiter) in Self.common {
      found.delimiter = delimiter
      let headings = try found.firstFields(of: path).map { $0.trimmingSpaces() }
      if fits(headings) { return found }
      if headings.count > 1 { splitting.append(delimiter) }
    }
    let isSettled = splitting.count == 1 && splitting.first != UInt8(ascii: ",")
    found.delimiter = isSettled ? splitting.first : UInt8(ascii: ",")
    return found
  }

  /// Returns the fields of the first record.
  private func firstFields(of path: String) throws -> [String] {
    var fields: [String] = []
    do {
      try CSVFile(path: path, layout: self).read { record in
        fields = record.fields
        throw Enough()
      }
    } catch is Enough {}
    return fields
  }
}

/// Thrown to stop reading after the heading.
struct Enough: Error {}
