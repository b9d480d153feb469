/// One state of a workflow.
package struct WorkflowState: Sendable, Hashable {
  /// The name, which is the value of the record's column `status`.
  package let name: String
  /// The label that people read.
  package let label: String
  /// True if the company has chosen the label, which then holds in every language.
  package internal(set) var isRelabelled = false
  /// The category, by which everything outside the workflow treats the state.
  package let category: StateCategory
  /// The display colour; it is always shown together with the label.
  package let color: StateColor
  /// True if no transition leads from this state to another one.
  package let isFinal: Bool
  /// The timers that start when a record enters the state.
  package let timers: [TimerDefinition]

  /// Creates a state. Without a label, the label is derived from the name: `in_progress` becomes "In
  /// progress".
  package init(
    name: String,
    label: String? = nil,
    category: StateCategory,
    color: StateColor = .grey,
    isFinal: Bool = false,
    timers: [TimerDefinition] = []
  ) {
    self.name = name
    self.label = label ?? Self.label(from: name)
    self.category = category
    self.color = color
    self.isFinal = isFinal
    self.timers = timers
  }

  /// True if work ends in this state: it is final, or its category is `done` or `failed`.
  package var isEnd: Bool { isFinal || category == .done || category == .failed }

  static func label(from name: String) -> String {
    let words = name.split(separator: "_").joined(separator: " ")
    return words.prefix(1).uppercased() + words.dropFirst()
  }
}

/// The display colours of states.
package enum StateColor: String, Sendable, Codable, CaseIterable {
  case grey, blue, green, yellow, orange, red, purple
}

extension WorkflowState: NamedDecodable, Encodable {
  private enum CodingKeys: String, CodingKey, CaseIterable {
    case name, label, category, color, after
    case isFinal = "final"
  }

  package init(name: String?, from decoder: any Decoder) throws {
    let object = try StrictObject(
      decoder,
      keys: CodingKeys.allCases.map(\.rawValue).filter { name == nil || $0 != "name" }
    )
    self.init(
      name: try name ?? object.required("name"),
      label: try object.optional("label"),
      category: try object.required("category"),
      color: try object.value("color", default: .grey),
      isFinal: try object.value("final", default: false),
      timers: try object.value("after", default: [])
    )
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encode(label, forKey: .label)
    try container.encode(category, forKey: .category)
    try container.encode(color, forKey: .color)
    if isFinal { try container.encode(isFinal, forKey: .isFinal) }
    if !timers.isEmpty { try container.encode(timers, forKey: .after) }
  }
}
