internal import Domain
internal import Store
internal import Terminal

/// Records as a table: the columns that people look for first, the rest on request.
struct RecordTable {
  let type: RecordType

  /// A list of records with all they have.
  func list(_ documents: [JSONObject]) -> Table {
    let names = type.viewColumns.map(\.name).filter { $0 != "company_id" }
    return Table(
      columns: names.map(column),
      rows: documents.map { document in names.map { Cell(document[$0] ?? .null) } }
    )
  }

  /// One record with all it has.
  func fields(_ document: JSONObject) -> [(Terminal.Column, Cell)] {
    type.viewColumns.map(\.name).filter { $0 != "company_id" }.map {
      (column($0), Cell(document[$0] ?? .null))
    }
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
