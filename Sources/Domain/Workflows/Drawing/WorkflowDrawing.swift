/// Draws workflows in the text formats of other programs.
package enum WorkflowDrawing {
  /// Returns a state diagram in the format of Mermaid, which Markdown pages and wikis show.
  package static func mermaid(_ definition: WorkflowDefinition) -> String {
    var lines = ["stateDiagram-v2", "    direction LR"]
    for state in definition.states {
      lines.append("    state \"\(quotable(state.label))\" as \(state.name)")
    }
    lines.append("    [*] --> \(definition.initial)")
    for way in ways(of: definition) {
      lines.append("    \(way.from) --> \(way.to): \(way.labels.map(quotable).joined(separator: ", "))")
    }
    for state in definition.states where state.isEnd { lines.append("    \(state.name) --> [*]") }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Returns a graph in the format of Graphviz: `fettle workflow show … --format dot | dot -Tpng`.
  package static func dot(_ definition: WorkflowDefinition) -> String {
    var lines = [
      "digraph \"\(quotable(definition.name))\" {", "  rankdir=LR;",
      "  node [shape=box, style=\"rounded,filled\", fontname=\"sans-serif\"];",
      "  edge [fontname=\"sans-serif\", fontsize=11];", "  \"\" [shape=point];",
    ]
    for state in definition.states {
      let border = state.isEnd ? ", peripheries=2" : ""
      lines.append(
        "  \(state.name) [label=\"\(quotable(state.label))\", fillcolor=\"\(state.color.pale)\"\(border)];"
      )
    }
    lines.append("  \"\" -> \(definition.initial);")
    for way in ways(of: definition) {
      let style = way.isSystem ? ", style=dashed" : ""
      let label = way.labels.map(quotable).joined(separator: "\\n")
      lines.append("  \(way.from) -> \(way.to) [label=\"\(label)\"\(style)];")
    }
    return lines.joined(separator: "\n") + "\n}\n"
  }

  /// All transitions from one state to another by the same kind of actor, which are drawn as one arrow.
  struct Way: Hashable {
    let from: String
    let to: String
    let isSystem: Bool
    var labels: [String]
  }

  /// Returns the arrows in the order of the definition. Disabled transitions are left out.
  static func ways(of definition: WorkflowDefinition) -> [Way] {
    var ways: [Way] = []
    for transition in definition.transitions where !transition.isDisabled {
      for from in transition.from {
        let isSystem = transition.by == .system
        let same = ways.firstIndex { $0.from == from && $0.to == transition.to && $0.isSystem == isSystem }
        if let same {
          ways[same].labels.append(transition.label)
        } else {
          ways.append(Way(from: from, to: transition.to, isSystem: isSystem, labels: [transition.label]))
        }
      }
    }
    return ways
  }

  /// Returns a label in which characters with a meaning in these formats are replaced.
  private static func quotable(_ text: String) -> String {
    String(text.map { $0 == "\"" ? "'" : $0.isNewline || $0 == "\\" || $0 == ":" ? " " : $0 })
  }
}

extension StateColor {
  /// The colour of a state's box, light enough for black text.
  var pale: String {
    switch self {
    case .grey: "#eceff1"
    case .blue: "#bbdefb"
    case .green: "#c8e6c9"
    case .yellow: "#fff59d"
    case .orange: "#ffcc80"
    case .red: "#ffcdd2"
    case .purple: "#e1bee7"
    }
  }

  /// The colour of the box's border.
  var deep: String {
    switch self {
    case .grey: "#607d8b"
    case .blue: "#1976d2"
    case .green: "#388e3c"
    case .yellow: "#b28900"
    case .orange: "#e65100"
    case .red: "#c62828"
    case .purple: "#7b1fa2"
    }
  }
}
