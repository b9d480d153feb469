internal import Domain
internal import FoundationEssentials
package import Store

/// Proposes the columns that the headings of a file fill.
package enum ImportProposal {
  /// The columns that a file can fill, in the order of a form.
  package static func columns(of type: RecordType) -> [String] {
    var columns = type.definition.creatable
    if type.workflow != nil { columns.append("status") }
    columns += ImportedPast(type).times.sorted()
    var seen: Set<String> = []
    return columns.filter { column in
      (column == "status" || type.column(column) != nil) && seen.insert(column).inserted
    }
  }

  /// Returns a column for each heading; empty text for one that names none. No column is proposed twice.
  ///
  /// - Parameters:
  ///   - words: what people call the columns, by column.
  ///   - remembered: what somebody chose for an earlier file.
  ///   - isExact: true to propose nothing for a heading that only contains such a word.
  package static func columns(
    for headings: [String],
    of type: RecordType,
    words: [String: [String]],
    remembered: [String: String],
    isExact: Bool = false
  ) -> [String: String] {
    let columns = columns(of: type)
    var taken: Set<String> = []
    var proposed: [String: String] = [:]
    func take(_ heading: String, _ column: String) {
      guard proposed[heading] == nil, taken.insert(column).inserted else { return }
      proposed[heading] = column
    }
    for heading in headings {
      guard let column = remembered[heading] else { continue }
      if column.isEmpty { proposed[heading] = "" } else if columns.contains(column) { take(heading, column) }
    }
    let names = Dictionary(
      columns.flatMap { column in
        let stem = column.hasSuffix("_id") ? [String(column.dropLast(3))] : []
        return ([column] + stem + (words[column] ?? [])).map { (folded($0), column) }
      }
    ) { first, _ in first }
    for heading in headings { if let column = names[folded(heading)] { take(heading, column) } }
    // A heading such as `Asset number` or `Start date of work` has the word of a column within.
    for heading in headings where proposed[heading] == nil && !isExact {
      let text = folded(heading)
      let found = names.keys.filter { $0.count > 3 && text.contains($0) }.max { $0.count < $1.count }
      if let name = found, let column = names[name] { take(heading, column) }
    }
    for heading in headings where proposed[heading] == nil { proposed[heading] = "" }
    return proposed
  }

  /// Returns a name without case, signs and blanks.
  private static func folded(_ text: String) -> String {
    String(text.lowercased().filter { $0.isLetter || $0.isNumber })
  }
}
