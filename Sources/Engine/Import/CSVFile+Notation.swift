package import Domain

extension CSVFile {
  /// Finds out the notation of columns with numbers from all their values, in a pass over the file.
  ///
  /// - Parameter headings: the headings of the columns; missing ones are skipped.
  /// - Returns: the notations by heading.
  /// - Throws: `invalid_import` if a column can be read in two ways, or the file cannot be read.
  package func notations(of headings: [String], stated: StatedNotation) throws -> [String: ColumnNotation] {
    var evidence: [(heading: String, place: Int, numbers: NumberEvidence)] = []
    var isHeading = true
    try read { record in
      guard !isHeading else {
        isHeading = false
        let found = record.fields.map { $0.trimmingSpaces() }
        evidence = headings.compactMap { heading in
          found.firstIndex(of: heading).map { (heading, $0, NumberEvidence(thousands: stated.thousands)) }
        }
        return
      }
      for index in evidence.indices where evidence[index].place < record.fields.count {
        let text = record.fields[evidence[index].place].trimmingSpaces()
        if !text.isEmpty { evidence[index].numbers.take(text, line: record.line) }
      }
    }
    var notations: [String: ColumnNotation] = [:]
    for column in evidence {
      var notation = ColumnNotation()
      notation.decimal = try column.numbers.decimal(stated: stated.decimal, of: column.heading)
      notation.thousands = stated.thousands
      notations[column.heading] = notation
    }
    return notations
  }
}
