internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// The records that earlier imports left incomplete because a value could not be read.
///
/// A corrected file has another text in place of that value, so that its lines have other ids. The history of
/// an incomplete record has the text, and a line is the record's if everything else is what the import stored,
/// and the text can mean the line's value.
struct ImportGaps {
  private struct Gap {
    let id: UUID
    /// The number of the record's line in its file.
    let line: Int?
    /// The texts that could not be read, by column.
    let texts: [String: String]
    /// The fields as the import stored them.
    var stored: JSONObject
    var isTaken = false
  }

  private var gaps: [Gap] = []
  /// The positions of gaps by the values that every record has.
  private var places: [String: [Int]] = [:]
  private var columns: [Column] = []

  /// True if there are none.
  var isEmpty: Bool { gaps.isEmpty }

  init() {}

  /// Reads the incomplete records of a type.
  ///
  /// - Parameter known: records that lines were recognised as already.
  init(
    _ type: RecordType,
    _ targets: [ImportMapping.Target],
    besides known: Set<UUID>,
    _ acting: ActingContext,
    _ work: Work
  ) throws {
    columns = targets.map(\.column)
    let company = acting.company.id
    let rows = try work.transaction.rows(
      """
      select h.record_id, h.changes, to_jsonb(t)
      from core.history h
      join \(type.table) t on t.company_id = h.company_id and t.id = h.record_id
      where h.company_id = \(company) and h.record_type = \(type.name) and h.seq = 1
        and h.kind = 'import' and h.changes - 'source_line' <> '{}'
        and not exists (
          select from core.import i
          where i.company_id = h.company_id and i.request_id = h.request_id and i.undone_at is not null
            and t.deleted_at is not null
        )
      """,
      UUID.self,
      JSON.self,
      JSON.self
    )
    for (id, changes, document) in rows where !known.contains(id) {
      let changes = try changes.value().object ?? [:]
      var texts: [String: String] = [:]
      for (column, pair) in changes.members {
        if let pair = pair.array, pair.count == 2, pair[1].isNull { texts[column] = pair[0].string }
      }
      guard !texts.isEmpty else { continue }
      let line = changes["source_line"]?.number?.integer.map(Int.init)
      gaps.append(Gap(id: id, line: line, texts: texts, stored: try document.value().object ?? [:]))
    }
    guard !gaps.isEmpty else { return }
    try restoreStored(type, company, work)
    for (index, gap) in gaps.enumerated() {
      places[key { gap.stored[columns[$0].name]?.displayText }, default: []].append(index)
    }
  }

  /// Returns the record of a line, and removes it; nil if no record is the line's.
  mutating func take(_ line: ImportLine, _ cells: [String?]) -> UUID? {
    let found = places[key { cells[$0] }]?.filter { !gaps[$0].isTaken } ?? []
    let fitting = found.compactMap { index in
      fit(gaps[index], line, cells).map {
        (index: index, isCertain: $0, isSame: gaps[index].line == line.line)
      }
    }
    // Among equal records, the one of the same line comes first.
    let best =
      fitting.first { $0.isCertain && $0.isSame } ?? fitting.first { $0.isCertain }
      ?? fitting.first { $0.isSame } ?? fitting.first
    guard let best else { return nil }
    gaps[best.index].isTaken = true
    return gaps[best.index].id
  }

  /// Returns true if the unread texts mean the line's values, false if they may; nil if the record is another
  /// line's.
  private func fit(_ gap: Gap, _ line: ImportLine, _ cells: [String?]) -> Bool? {
    var isCertain = true
    for (index, column) in columns.enumerated() {
      if let text = gap.texts[column.name] {
        let raw = line.raw[index].trimmingSpaces()
        if raw == text.trimmingSpaces() { continue }
        let readings = column.kind.readings(of: text)
        let isMeant = cells[index].map { readings.contains(column.kind.canonical($0)) } ?? false
        guard readings.isEmpty || raw.isEmpty || isMeant else { return nil }
        if readings.isEmpty || raw.isEmpty { isCertain = false }
        continue
      }
      let stored = gap.stored[column.name] ?? .null
      guard let cell = cells[index] else {
        // A column with a default has a value without the file.
        if stored.isNull || column.hasDefault { continue }
        return nil
      }
      guard !stored.isNull else { continue }
      if let value = line.value(index, of: column), column.kind.isDocument {
        guard column.kind.isEqual(value, stored) else { return nil }
      } else if !column.kind.isEqual(cell, stored) {
        return nil
      }
    }
    return isCertain
  }

  /// Returns the text of the values that every record has.
  private func key(_ value: (Int) -> String?) -> String {
    columns.indices.filter { !columns[$0].isNullable && !columns[$0].hasDefault }.map { index in
      let text = value(index) ?? ""
      switch columns[index].kind {
      case .text, .date: return text
      case .id: return text.lowercased()
      default: return ""  // compared one by one
      }
    }.joined(separator: "\u{1F}")
  }

  /// Undoes what was changed since the import, as far as history tells.
  private mutating func restoreStored(_ type: RecordType, _ company: UUID, _ work: Work) throws {
    let indices = Dictionary(gaps.enumerated().map { ($1.id, $0) }) { first, _ in first }
    let rows = try work.transaction.rows(
      """
      select h.record_id, h.changes from core.history h
      where h.company_id = \(company) and h.record_type = \(type.name)
        and h.record_id = any (\(gaps.map(\.id))) and h.seq > 1
      order by h.record_id, h.seq desc
      """,
      UUID.self,
      JSON.self
    )
    for (id, changes) in rows {
      guard let index = indices[id] else { continue }
      for (column, pair) in try changes.value().object?.members ?? [] {
        if let before = pair.array?.first { gaps[index].stored[column] = before }
      }
    }
  }
}

extension ColumnKind {
  /// Returns the values that a text can mean in any notation, in canonical form; empty if it means nothing.
  func readings(of text: String) -> Set<String> {
    let text = text.trimmingSpaces()
    switch self {
    case .numeric, .real, .integer:
      guard let number = try? WrittenNumber(parsing: text) else { return [] }  // not a number
      return Set(DecimalSign.allCases.compactMap { number.value(decimal: $0).map(canonical) })
    case .date:
      guard let date = WrittenDate(parsing: text) else { return [] }
      let formats = DateOrder.allCases.flatMap {
        [DateFormat(order: $0), DateFormat(order: $0, isShort: true)]
      }
      return Set(formats.compactMap { date.date($0)?.description })
    default: return []
    }
  }

  /// Returns the text that equal values of the kind have.
  fileprivate func canonical(_ text: String) -> String {
    switch self {
    case .numeric, .real, .integer: (try? ExactDecimal(parsing: text))?.canonicalText ?? text  // out of range
    default: text
    }
  }
}
