internal import Domain
internal import Engine
internal import Postgres
internal import Store
internal import Terminal

/// The history of a record as a table.
struct HistoryTable {
  let type: RecordType
  /// Display names that replace the ids in changes.
  let references: ReferenceNames
  /// True for people, who read labels of states; programs get names.
  let isForPeople: Bool

  func table(_ lines: [HistoryLine]) -> Table {
    Table(
      columns: [
        Column("seq", kind: .number), Column("at", kind: .instant), Column("what"), Column("from"),
        Column("to"), Column("who"), Column("comment"), Column("summary", title: "changes"),
        Column("changes"),
      ],
      rows: lines.map { line in
        let changes = Self.changes(line)
        return [
          .integer(line.seq), Cell(line.at), .string(line.transition ?? line.kind),
          .optional(line.from.map(state)),
          .optional(line.to.map(state)), .string(who(line)), .optional(line.comment),
          changes.isEmpty ? .null : summary(changes), Cell(.object(changes)),
        ]
      }
    )
  }

  private func state(_ name: String) -> String { isForPeople ? StateLabels(type)[name] : name }

  /// Returns the changes of a line: the values before and after, by column.
  static func changes(_ line: HistoryLine) -> JSONObject {
    (try? line.changes.value())?.object ?? [:]  // stored JSON is always valid
  }

  /// Formats changes: `priority: 2 → 1, due on cleared (was 2026-01-02), machine: RM-001`; for people as a list, which a
  /// terminal breaks into lines.
  private func summary(_ changes: JSONObject) -> Cell {
    // The number as text says the same.
    let texts = changes.members.filter { $0.key != "number_seq" }.map { column, change -> String in
      let label = (column.hasSuffix("_id") ? String(column.dropLast(3)) : column)
        .split(separator: "_").joined(separator: " ")
      guard let pair = change.array, pair.count == 2 else { return "\(label): \(text(change, in: column))" }
      switch (pair[0].isNull, pair[1].isNull) {
      case (true, true): return "\(label) not set"
      case (true, false): return "\(label): \(text(pair[1], in: column))"
      case (false, true): return "\(label) cleared (was \(text(pair[0], in: column)))"
      case (false, false): return "\(label): \(text(pair[0], in: column)) → \(text(pair[1], in: column))"
      }
    }
    return isForPeople ? .list(texts.map { .string($0) }) : .string(texts.joined(separator: ", "))
  }

  private func text(_ value: JSONValue, in column: String) -> String {
    guard let text = value.string else { return value.displayText }
    if type.referenceTargets.contains(where: { $0.column == column }) { return references[text] ?? text }
    guard type.column(column)?.kind == .instant else { return text }
    return MomentText.text(text, by: CompanyClock.current)
  }

  /// Returns the member's name. For an operator, returns the operator and the member they acted for, if any.
  private func who(_ line: HistoryLine) -> String {
    guard line.actorKind == "operator" else { return line.onBehalfOf ?? line.actor }
    return line.onBehalfOf.map { "\($0) (by operator \(line.actor))" } ?? "operator \(line.actor)"
  }
}
