package import Domain
package import Engine
internal import Postgres
package import Store
package import Terminal

/// Records as a table: the most useful columns by default, the others on request.
package struct RecordTable {
  package let type: RecordType
  /// Display names that replace the ids of references for people; nil for programs.
  package var references: ReferenceNames?

  package init(type: RecordType, references: ReferenceNames? = nil) {
    self.type = type
    self.references = references
  }

  /// The visible columns of a record, the number first, without the allowed actions.
  package var names: [String] { type.shownColumns.map(\.name) }

  /// ``names`` as the headings of a table.
  package var columns: [Terminal.Column] { names.map(column) }

  /// The default columns of a list for people.
  package var forPeople: [String] {
    let definition = type.definition
    var wanted = Array(definition.nameColumns.prefix(1))
    wanted += definition.key
    wanted += [definition.titleField, "status"]
    wanted += definition.search + definition.sort + ["id"]
    var chosen: [String] = []
    for name in wanted where !chosen.contains(name) && names.contains(name) { chosen.append(name) }
    // Eight columns fit a terminal. The id is kept because commands accept it.
    return chosen.count <= 8 ? chosen : Array(chosen.prefix(7)) + ["id"]
  }

  /// Returns records with all columns and the allowed actions of each.
  package func list(_ documents: [JSONObject]) -> Table {
    Table(
      columns: columns + [Terminal.Column("allowed")],
      rows: documents.map { row($0) + [Cell($0["allowed"] ?? .null)] }
    )
  }

  /// Returns the cells of a record, in the order of ``columns``.
  package func row(_ document: JSONObject) -> [Cell] { names.map { cell($0, document) } }

  /// Returns the value of a column, timestamps in RFC 3339. For people, names replace the ids of references.
  package func cell(_ name: String, _ document: JSONObject) -> Cell {
    guard let value = document[name], let text = value.string else { return Cell(document[name] ?? .null) }
    if references != nil, name == "status" { return .string(StateLabels(type)[text]) }
    if references != nil, isReference(name) { return .string(references?[text] ?? text) }
    guard type.viewColumns.first(where: { $0.name == name })?.kind == .instant else { return Cell(value) }
    return .string(Instant(rfc3339: text)?.rfc3339 ?? text)
  }

  /// Returns one record in groups: identity, fields, computed columns, and the engine's columns.
  package func groups(_ document: JSONObject) -> [DetailGroup] {
    let definition = type.definition
    let base = Set(RecordTypeDefinition.baseColumns + ["status_category"])
    let first = unique(definition.nameColumns + definition.key + [definition.titleField, "status"])
    let written = definition.creatable.filter { !first.contains($0) }
    let computed = names.filter { name in
      !first.contains(name) && !written.contains(name) && !base.contains(name) && !repeats(name, document)
    }
    let engine = names.filter { base.contains($0) && !first.contains($0) }
    let allowed = (Terminal.Column("allowed"), Cell(document["allowed"] ?? .array([])))
    return [
      DetailGroup(fields(first, document) + [allowed]),
      DetailGroup("fields", fields(written, document)),
      DetailGroup("computed", fields(computed, document)),
      DetailGroup("record", fields(engine, document)),
    ]
  }

  /// Returns one record with all columns and its allowed actions, for programs.
  package func fields(_ document: JSONObject) -> [(Terminal.Column, Cell)] {
    fields(names, document) + [(Terminal.Column("allowed"), Cell(document["allowed"] ?? .array([])))]
  }

  private func fields(_ chosen: [String], _ document: JSONObject) -> [(Terminal.Column, Cell)] {
    chosen.filter(names.contains).map { (column($0), cell($0, document)) }
  }

  private func unique(_ list: [String]) -> [String] {
    var seen: Set<String> = []
    return list.filter { seen.insert($0).inserted }
  }

  /// True for a column by which people and commands name records, and for the name of a record that this one belongs to.
  private func isName(_ name: String) -> Bool {
    let definition = type.definition
    let names = definition.nameColumns + definition.key + ["number", "code", "external_ref"]
    return names.contains(name) || name.hasSuffix("_code") || name.hasSuffix("_name")
  }

  private func isReference(_ name: String) -> Bool {
    type.referenceTargets.contains { $0.column == name }
  }

  /// Returns true if a column of the view only repeats the name of a reference: `machine_code` beside
  /// `machine_id`.
  private func repeats(_ name: String, _ document: JSONObject) -> Bool {
    guard let references, let text = document[name]?.string else { return false }
    return type.referenceTargets.contains { reference in
      let stem = Self.stem(reference.column)
      return name.hasPrefix("\(stem)_")
        && document[reference.column]?.string.flatMap { references[$0] } == text
    }
  }

  /// Returns `machine` for `machine_id`.
  private static func stem(_ column: String) -> String {
    column.hasSuffix("_id") ? String(column.dropLast(3)) : column
  }

  private func column(_ name: String) -> Terminal.Column {
    guard name != "status" else {
      return Terminal.Column(name, kind: .status(StateLabels(type).colors))
    }
    if references != nil, isReference(name) {
      let title = Self.stem(name).split(separator: "_").joined(separator: " ")
      return Terminal.Column(name, title: title, kind: .id)
    }
    let kind: Terminal.Column.Kind =
      switch type.viewColumns.first(where: { $0.name == name })?.kind {
      case .numeric, .integer, .real: .number
      case .instant: .instant
      case .id: .id
      case .text where isName(name): .id
      default: .text
      }
    return Terminal.Column(name, kind: kind)
  }
}
