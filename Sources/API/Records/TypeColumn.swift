internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store

/// The description of a column as JSON.
struct TypeColumn {
  private let column: Column
  private let part: TypesScreen.Part
  private let words: any TypeNaming

  init(_ column: Column, _ part: TypesScreen.Part, _ words: any TypeNaming) {
    self.column = part.type.column(column.name) ?? column
    self.part = part
    self.words = words
  }

  var value: JSONObject {
    let (name, type) = (column.name, part.type)
    let (kind, isList) = Self.element(of: column.kind)
    var json: JSONObject = ["name": .string(name), "kind": .string(Self.name(of: kind))]
    json.give("list", isList)
    json["label"] = .string(words.column(name))
    if let write {
      json["write"] = .string(write)
      if let hint = words.hint(name) { json["hint"] = .string(hint) }
      json.give("required", part.required.contains(name))
      for (name, value) in limits(of: kind, isList: isList).members { json[name] = value }
    }
    json.give("choices", objects: choices)
    if let reference = type.definition.references.first(where: { $0.column == name }) {
      json["to"] = .string(reference.target)
      json.give("part", reference.onDelete == .cascade)
      json.give("with", reference.with)
    } else if let target = type.referenceTargets.first(where: { $0.column == name })?.target {
      json["to"] = .string(target)
    }
    return json
  }

  /// When clients may write the column; nil for never. Columns that a transition sets are never edited.
  private var write: String? {
    let name = column.name
    guard !(part.type.workflow?.columnsSet ?? []).contains(name) else { return nil }
    if part.type.definition.editable.contains(name) { return "always" }
    return part.type.definition.fixed.contains(name) ? "create" : nil
  }

  private var choices: [JSONObject] {
    if let values = part.choices[column.name] {
      return values.map { ["value": .string($0), "label": .string(words.choice($0, of: column.name))] }
    }
    guard case .integer = column.kind else { return [] }
    return words.codes(column.name).compactMap { code in
      (try? JSONValue(parsing: code.value)).map { ["value": $0, "label": .string(code.label)] }
    }
  }

  private func limits(of kind: ColumnKind, isList: Bool) -> JSONObject {
    let most = part.type.definition.limits[column.name]
    guard !isList else { return ["max": .integer(most ?? FieldCheck.longestList)] }
    switch kind {
    case .text: return ["max": .integer(most ?? FieldCheck.longestText)]
    case .json: return ["max": .integer(most ?? FieldCheck.largestDocument)]
    case .integer(let bits) where bits < 63:
      let bound: Int64 = 1 << bits
      return ["min": .integer(-bound), "max": .integer(bound - 1)]
    case .numeric(let whole, let decimals):
      var json = JSONObject()
      if let whole { json["whole"] = .integer(whole) }
      if let decimals { json["scale"] = .integer(decimals) }
      if part.type.definition.rounds.contains(column.name) { json["rounds"] = true }
      return json
    default: return [:]
    }
  }

  private static func element(of kind: ColumnKind) -> (ColumnKind, isList: Bool) {
    if case .array(let element) = kind { (element, true) } else { (kind, false) }
  }

  private static func name(of kind: ColumnKind) -> String {
    switch kind {
    case .text: "text"
    case .date: "date"
    case .time: "time"
    case .instant: "instant"
    case .boolean: "boolean"
    case .id: "id"
    case .json: "json"
    case .numeric: "decimal"
    case .real: "real"
    case .integer: "integer"
    case .array, .other: "other"
    }
  }
}
