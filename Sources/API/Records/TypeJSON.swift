internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store

/// The description of a type as JSON. Members without content are left out: the description is read over slow networks.
struct TypeJSON {
  private let part: TypesScreen.Part
  private let type: RecordType
  private let words: any TypeNaming

  init(_ part: TypesScreen.Part, _ words: any TypeNaming) {
    self.part = part
    type = part.type
    self.words = words
  }

  var value: JSONObject {
    let definition = type.definition
    var json: JSONObject = [
      "name": .string(type.name), "label": .string(words.label), "plural": .string(words.plural),
      "new": .string(words.new), "title": .string(definition.titleField),
    ]
    json.give("number", definition.number != nil)
    json.give("key", definition.key)
    if let within { json["within"] = .string(within) }
    json.give("private", definition.scope == .owner)
    json["create"] = .bool(type.isCreatedAsRecord && !definition.creatable.isEmpty)
    json["sync"] = .string(definition.sync.rawValue)
    json.give("list", definition.command?.columns ?? [])
    if let sort = definition.command?.sort { json["sort"] = .string(sort) }
    json.give("sorts", definition.sort)
    json.give("search", definition.search)
    json.give("clock", definition.clock)
    json.give("owners", ["created_by"] + definition.ownerFields)
    if let entitlement = definition.entitlement {
      json["entitlement"] = .string(entitlement)
      json["entitled"] = .bool(part.isEntitled)
    }
    json["columns"] = .array(columns.map { .object(TypeColumn($0, part, words).value) })
    json.give("edit", objects: type.rules.editRules.map(rule))
    json.give("files", objects: definition.attachments.map(Self.file))
    if let workflow = type.workflow { json["workflow"] = .object(self.workflow(workflow)) }
    json.give("children", objects: part.children.map(Self.child))
    return json
  }

  /// The columns of the view that a device gets, and the written ones that the view lacks.
  private var columns: [Column] {
    let base = Set(RecordTypeDefinition.baseColumns + ["status", "status_category", "number"])
    let shown = type.shownColumns.filter {
      !base.contains($0.name) && !type.definition.clock.contains($0.name)
    }
    let names = Set(shown.map(\.name))
    let asked = type.workflow?.transitions.flatMap(\.require.fields) ?? []
    let hidden = type.columns.filter { column in
      !names.contains(column.name) && (type.definition.creatable + asked).contains(column.name)
    }
    return shown + hidden
  }

  /// The column with the record within which names are unique, such as the machine of a category.
  private var within: String? {
    type.definition.references.first { reference in
      type.definition.key.dropLast().contains(reference.column) && !reference.target.hasPrefix("core.")
    }?.column
  }

  private func rule(_ rule: EditRule) -> JSONObject {
    var json: JSONObject = ["permission": .string(rule.permission(on: type.name).name)]
    if let when = rule.when { json["when"] = .string(when) }
    if let fields = rule.fields { json["fields"] = .strings(fields) }
    return json
  }

  private static func file(_ rule: AttachmentRule) -> JSONObject {
    var json: JSONObject = ["kind": .string(rule.kind), "max_bytes": .integer(rule.maximumBytes)]
    if let count = rule.maximumCount { json["max_count"] = .integer(count) }
    json["media"] = .strings(rule.media.isEmpty ? AttachmentRule.knownMedia : rule.media)
    return json
  }

  private static func child(_ child: (type: RecordType, reference: RecordReference)) -> JSONObject {
    var json: JSONObject = ["type": .string(child.type.name), "column": .string(child.reference.column)]
    json.give("part", child.reference.onDelete == .cascade)
    return json
  }

  private func workflow(_ workflow: WorkflowDefinition) -> JSONObject {
    let states = workflow.states.map { state -> JSONObject in
      var json: JSONObject = [
        "name": .string(state.name), "label": .string(words.state(state.name)),
        "category": .string(state.category.rawValue), "color": .string(state.color.rawValue),
      ]
      json.give("final", state.isFinal)
      return json
    }
    var json: JSONObject = [
      "version": .integer(workflow.version), "initial": .string(workflow.initial),
      "states": .array(states.map { .object($0) }),
    ]
    // Nobody asks the system, and nobody can take what the company has disabled.
    json.give(
      "transitions",
      objects: workflow.transitions.filter { $0.by == .person && !$0.isDisabled }.map(transition)
    )
    return json
  }

  private func transition(_ transition: WorkflowTransition) -> JSONObject {
    var json: JSONObject = [
      "name": .string(transition.name), "label": .string(words.transition(transition.name)),
      "from": .strings(transition.from), "to": .string(transition.to),
    ]
    if let permission = transition.permission { json["permission"] = .string(permission.name) }
    json.give("fields", transition.require.fields)
    json.give("times", transition.givenTimes)
    if let minimum = transition.require.commentMinimum { json["comment"] = .integer(minimum) }
    json.give(
      "guards",
      objects: transition.guards.map { check in
        let message = words.message(check.message) ?? check.message
        return ["when": .string(check.path), "message": .string(message)]
      }
    )
    json.give("distinct_from", transition.distinctFrom)
    if !transition.set.isEmpty {
      json["set"] = .object(JSONObject(transition.set.map { ($0.column, $0.value.notation) }))
    }
    return json
  }
}

extension JSONObject {
  /// Sets a member to true, or leaves it out.
  mutating func give(_ name: String, _ truth: Bool) {
    if truth { self[name] = true }
  }

  /// Sets a member to a list of texts, or leaves it out if there are none.
  mutating func give(_ name: String, _ texts: [String]) {
    if !texts.isEmpty { self[name] = .strings(texts) }
  }

  /// Sets a member to a list of objects, or leaves it out if there are none.
  mutating func give(_ name: String, objects: [JSONObject]) {
    if !objects.isEmpty { self[name] = .array(objects.map { .object($0) }) }
  }
}
