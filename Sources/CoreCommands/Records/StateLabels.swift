internal import Domain
internal import Store
internal import Terminal

/// The labels of a type's states, which people read; programs and options take the names.
struct StateLabels {
  private let states: [WorkflowState]

  init(_ type: RecordType) { states = type.workflow?.states ?? [] }

  /// Returns the label of a state; its name in words if no version in use has it.
  subscript(name: String) -> String {
    if let label = states.first(where: { $0.name == name })?.label { return label }
    let words = name.split(separator: "_").joined(separator: " ")
    return words.prefix(1).uppercased() + words.dropFirst()
  }

  /// The colors of the states, by name and by label.
  var colors: [String: Color] {
    var colors: [String: Color] = [:]
    for state in states {
      guard let color = Color(rawValue: state.color == .grey ? "gray" : state.color.rawValue) else {
        continue
      }
      (colors[state.name], colors[state.label]) = (color, color)
    }
    return colors
  }
}
