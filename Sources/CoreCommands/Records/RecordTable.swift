package import Domain
package import Store
package import Terminal

/// Records as a table: the columns that people look for first, the rest on request.
package struct RecordTable {
  package let type: RecordType

  package init(type: RecordType) { self.type = type }

  /// What the engine keeps for itself, and nobody asks for.
  private static let hidden: Set<String> = [
    "company_id", "deleted_at", "origin_device", "history_seq", "history_hash", "number_seq",
  ]

  /// The columns of a record, the number first, without what may be done with it.
  package var names: [String] {
    let shown = type.viewColumns.map(\.name).filter { !Self.hidden.contains($0) }
    guard type.definition.number != nil else { return shown }
    return ["number"] + shown.filter { $0 != "number" }
  }

  /// The same as the headings of a table.
  package var columns: [Terminal.Column] { names.map(column) }

  /// What people look for in a list of a type that nobody chose columns for.
  package var forPeople: [String] {
    let definition = type.definition
    var wanted = Array(definition.nameColumns.prefix(1))
    wanted += definition.key
    wanted += [definition.titleField, "status"]
    wanted += definition.search + definition.sort + ["id"]
    var chosen: [String] = []
    for name in wanted where !chosen.contains(name) && names.contains(name) { chosen.append(name) }
    // As many as fit a terminal, and the id by which commands call it.
    return chosen.count <= 8 ? chosen : Array(chosen.prefix(7)) + ["id"]
  }

  /// A list of records with all they have, and what may be done with each.
  package func list(_ documents: [JSONObject]) -> Table {
    Table(
      columns: columns + [Terminal.Column("allowed")],
      rows: documents.map { row($0) + [Cell($0["allowed"] ?? .null)] }
    )
  }

  /// The cells of a record, in the order of ``columns``.
  package func row(_ document: JSONObject) -> [Cell] { names.map { Cell(document[$0] ?? .null) } }

  /// One record with all it has, and what may be done with it.
  package func fields(_ document: JSONObject) -> [(Terminal.Column, Cell)] {
    names.map { (column($0), Cell(document[$0] ?? .null)) }
      + [(Terminal.Column("allowed"), Cell(document["allowed"] ?? .array([])))]
  }

  private func column(_ name: String) -> Terminal.Column {
    guard name != "status" else {
      let states = type.workflow?.states ?? []
      let colors = states.compactMap { state in
        Color(rawValue: state.color == .grey ? "gray" : state.color.rawValue).map { (state.name, $0) }
      }
      return Terminal.Column(name, kind: .status(Dictionary(colors) { first, _ in first }))
    }
    let kind = type.viewColumns.first { $0.name == name }?.type.prefix { $0 != "(" } ?? ""
    let isNumber = ["numeric", "integer", "bigint", "smallint"].contains(String(kind))
    return Terminal.Column(name, kind: isNumber ? .number : .text)
  }
}
