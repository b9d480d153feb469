internal import Domain
internal import Store

/// The schemas of one record type: of a record, of its creation, of its change, and of a page.
struct RecordSchema {
  private let type: RecordType
  /// The permitted values of text columns, by column.
  private let choices: [String: [String]]
  /// The columns to which the type's rule gives a value if the caller gives none.
  private let filled: Set<String>

  /// - Parameters:
  ///   - choices: the choices of all types.
  ///   - filled: the columns that the type's rule fills in.
  init(_ type: RecordType, choices: [ColumnChoices] = [], filled: Set<String> = []) {
    self.type = type
    self.filled = filled
    self.choices = Dictionary(
      choices.filter { $0.table == type.definition.table }.map { ($0.column, $0.values) }
    ) { first, _ in first }
  }

  /// Returns the name of a component for this type, such as `maintenance.entry.create`.
  func name(of part: Part) -> String {
    part == .record ? type.name : "\(type.name).\(part.rawValue.dropFirst("record.".count))"
  }

  /// The names of the components by those of the parts.
  var names: [String: String] {
    Dictionary(uniqueKeysWithValues: Part.allCases.map { ($0.rawValue, name(of: $0)) })
  }

  /// The components of the type, by name.
  var components: [(name: String, schema: JSONObject)] {
    Part.allCases.map { (name(of: $0), schema(of: $0)) }
  }

  /// The columns by which a list can be filtered.
  var filters: [String] { type.shownColumns.map(\.name) }

  /// The columns by which a list can be sorted.
  var sortable: [String] {
    let names = Set(type.definition.sort + ["created_at"])
    let columns = type.viewColumns.map(\.name).filter(names.contains)
    return (type.definition.number == nil ? [] : ["number"]) + columns.filter { $0 != "number" }
  }

  /// The names of the workflow's transitions; empty without a workflow.
  var transitions: [String] {
    var seen: Set<String> = []
    return (type.workflow?.transitions ?? []).map(\.name).filter { seen.insert($0).inserted }
  }

  private func schema(of part: Part) -> JSONObject {
    switch part {
    case .record: record
    case .create: body(of: type.definition.creatable, isCreation: true)
    case .patch: body(of: type.definition.editable, isCreation: false)
    case .page: page
    }
  }

  private var record: JSONObject {
    var properties = JSONObject()
    let ofTable = Dictionary(type.columns.map { ($0.name, $0) }) { first, _ in first }
    // Tombstones are read from the table, which lacks the computed columns of the view.
    let written = type.columns.filter { type.definition.creatable.contains($0.name) }
    for column in type.shownColumns + written where properties[column.name] == nil {
      // A computed column of the view may hold null under the name of a column that the table requires.
      let isNullable = ofTable[column.name]?.isNullable ?? true
      let values = ofTable[column.name] == nil ? nil : choices[column.name]
      properties[column.name] = .object(ColumnSchema(values: values).reading(column, isNullable: isNullable))
    }
    if let workflow = type.workflow, var status = properties["status"]?.object {
      // Not an enumeration, because companies may follow later versions of the workflow.
      status["description"] = .string(
        "State of the workflow. Version \(workflow.version) has: "
          + workflow.states.map { "`\($0.name)`" }.joined(separator: ", ") + "."
      )
      status["examples"] = .strings(workflow.states.map(\.name))
      properties["status"] = .object(status)
    }
    properties["allowed"] = [
      "type": "array", "items": ["type": "string"],
      "description": "Actions that the caller can take now: `update`, `delete`, `restore` and transitions.",
    ]
    return [
      "type": "object", "title": .string(type.definition.label), "properties": .object(properties),
      "required": ["id", "version"],
    ]
  }

  private func body(of columns: [String], isCreation: Bool) -> JSONObject {
    var properties = JSONObject()
    for name in columns {
      guard let column = type.column(name) else { continue }
      let schema = ColumnSchema(limit: type.definition.limits[name], values: choices[name])
      var written = schema.writing(column)
      if isNamed(name) {
        // A name is as good as an id; generated clients must not insist on the form of an id.
        written["format"] = nil
        written["description"] = .string(
          [written["description"]?.string, "The id, the number or the key."].compactMap(\.self).joined(
            separator: " "
          )
        )
      }
      properties[name] = .object(written)
    }
    if isCreation {
      properties["id"] = [
        "type": ["string", "null"], "format": "uuid",
        "description": "The record's id, chosen by the client. Default: a new id.",
      ]
    }
    var json: JSONObject = [
      "type": "object", "properties": .object(properties), "additionalProperties": false,
    ]
    let required = isCreation ? columns.filter { isRequired($0) } : []
    if !required.isEmpty { json["required"] = .strings(required) }
    if !isCreation { json["minProperties"] = 1 }
    return json
  }

  /// True for a reference to a record of an app or to a member, which a name can give.
  private func isNamed(_ column: String) -> Bool {
    type.definition.references.contains {
      $0.column == column && (!$0.target.hasPrefix("core.") || $0.target == "core.membership")
    }
  }

  private func isRequired(_ name: String) -> Bool {
    guard let column = type.column(name), !filled.contains(name) else { return false }
    return !column.isNullable && !column.hasDefault && !column.isGenerated
  }

  private var page: JSONObject {
    let item: JSONObject = ["$ref": .string("#/components/schemas/\(name(of: .record))")]
    return [
      "type": "object",
      "properties": [
        "items": ["type": "array", "items": .object(item), "maxItems": 200],
        "next": ["type": "string", "description": "The cursor of the next page; absent on the last one."],
      ],
      "required": ["items"],
    ]
  }
}

extension RecordSchema {
  /// The components that record routes refer to. The document replaces them by those of each type.
  enum Part: String, CaseIterable {
    /// A record as its view shows it.
    case record
    /// The fields of a new record.
    case create = "record.create"
    /// The changed fields of a record.
    case patch = "record.patch"
    /// A page of records.
    case page = "record.page"

    /// The schema for any type, which the document has besides those of the installed types.
    var general: JSONObject {
      switch self {
      case .record:
        ["type": "object", "properties": ["id": ["type": "string", "format": "uuid"]], "required": ["id"]]
      case .create, .patch: ["type": "object"]
      case .page:
        [
          "type": "object",
          "properties": [
            "items": ["type": "array", "items": ["$ref": "#/components/schemas/record"]],
            "next": ["type": "string"],
          ],
          "required": ["items"],
        ]
      }
    }
  }
}

extension Schema {
  /// A record of the path's type.
  package static let record = Schema.component("record")
}
