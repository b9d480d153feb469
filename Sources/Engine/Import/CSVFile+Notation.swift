package import Domain

extension CSVFile {
  /// Finds out the notation of columns with numbers from all their values, in a pass over the file.
  ///
  /// - Parameter headings: the headings of the columns, as ``place(of:among:)`` finds them; missing ones are skipped.
  /// - Returns: the notations by heading.
  /// - Throws: `invalid_import` if a column can be read in two ways, or the file cannot be read.
  package func notations(of headings: [String], stated: StatedNotation) throws -> [String: ColumnNotation] {
    var evidence: [(heading: String, place: Int, numbers: NumberEvidence)] = []
    var width: Int?
    try read { record in
      guard let width else {
        let found = Self.distinct(record.fields.map { $0.trimmingSpaces() })
        width = found.count
        evidence = headings.compactMap { heading in
          Self.place(of: heading, among: found)
            .map { (heading, $0, NumberEvidence(thousands: stated.thousands)) }
        }
        return
      }
      // Other lines are refused.
      guard record.fields.count == width else { return }
      for index in evidence.indices {
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
