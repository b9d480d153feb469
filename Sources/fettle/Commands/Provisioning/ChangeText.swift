internal import CoreCommands
internal import Domain
internal import Terminal

/// Formats the changes of a plan: as lines for people, as rows for programs.
enum ChangeText {
  static let columns = [
    Column("change", kind: .status(["created": .green, "changed": .yellow, "removed": .red])),
    Column("company"), Column("subject"), Column("name"), Column("differences"), Column("secret"),
  ]

  /// Returns a step as a row.
  static func row(_ company: String, _ step: ProvisioningStep, secret: String? = nil) -> [Cell] {
    let differences = step.differences.map { difference in
      Cell.Field(
        difference.field,
        .nested([
          .init("before", difference.before.map(Cell.init) ?? .null),
          .init("after", difference.after.map(Cell.init) ?? .null),
        ])
      )
    }
    return [
      .string(step.change.rawValue), .string(company), .string(step.subject), .string(step.name),
      .nested(differences), .optional(secret),
    ]
  }

  /// Returns an unchanged subject as a row.
  static func unchanged(_ company: String, _ subject: String, _ name: String) -> [Cell] {
    [.string("unchanged"), .string(company), .string(subject), .string(name), .nested([]), .null]
  }

  /// Returns a step as a line: `changed  acme maintenance.machine RM-001 (name: Roller → Big roller)`.
  static func line(_ company: String, _ step: ProvisioningStep, on screen: Screen) -> String {
    let word = step.change.rawValue + String(repeating: " ", count: 9 - step.change.rawValue.count)
    let facts = step.differences.map(text).joined(separator: ", ")
    let rest = "\(company) \(step.subject) \(step.name)\(facts.isEmpty ? "" : " (\(facts))")"
    return screen.styled(word, color(step.change)) + DisplayText.neutralized(rest)
  }

  /// Returns a step as several lines, one per difference.
  static func block(_ company: String, _ step: ProvisioningStep, on screen: Screen) -> String {
    let sign =
      switch step.change {
      case .created: "+"
      case .changed: "~"
      case .removed: "-"
      }
    let head = DisplayText.neutralized("\(sign) \(company) \(step.subject) \(step.name)")
    let lines = step.differences.map { "    " + DisplayText.neutralized(text($0)) }
    return ([screen.styled(head, color(step.change))] + lines).joined(separator: "\n")
  }

  private static func text(_ difference: ProvisioningStep.Difference) -> String {
    func text(_ value: JSONValue?) -> String {
      guard let value, !value.isNull else { return "nothing" }
      return value.string ?? value.text
    }
    if let before = difference.before, let old = before.array, let new = difference.after?.array {
      let added = new.filter { !old.contains($0) }.map { "+\(text($0))" }
      let gone = old.filter { !new.contains($0) }.map { "-\(text($0))" }
      if !(added + gone).isEmpty { return "\(difference.field): \((added + gone).joined(separator: " "))" }
    }
    guard difference.before != nil else { return "\(difference.field): \(text(difference.after))" }
    return "\(difference.field): \(text(difference.before)) → \(text(difference.after))"
  }

  private static func color(_ change: ProvisioningStep.Change) -> Color {
    switch change {
    case .created: .green
    case .changed: .yellow
    case .removed: .red
    }
  }
}
