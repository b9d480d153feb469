internal import Domain
internal import Postgres

/// Checks with PostgreSQL that the conditions of a manifest are SQL/JSON path predicates.
///
/// Runs each condition on two documents of the columns that it may read, one with nulls and one with numbers.
/// This also finds conditions that parse but cannot run.
struct PathCheck {
  /// A condition, its place, and the columns it may read.
  private struct Condition {
    let place: String
    let path: String
    let columns: [String]
  }

  private let conditions: [Condition]

  init(_ manifest: AppManifest, columns: [String: Set<String>]) {
    var conditions: [Condition] = []
    for type in manifest.types {
      let view = columns[type.view, default: []].sorted()
      let table = columns[type.table, default: []].sorted()
      let place = "types.\(type.name)"
      for (index, rule) in type.edit.enumerated() {
        guard let when = rule.when else { continue }
        conditions.append(Condition(place: "\(place).edit[\(index)].when", path: when, columns: view))
      }
      for (index, hook) in type.hooks.enumerated() {
        guard let when = hook.when else { continue }
        conditions.append(Condition(place: "\(place).hooks[\(index)].when", path: when, columns: table))
      }
      guard let workflow = type.workflow.flatMap(manifest.workflow) else { continue }
      for transition in workflow.transitions {
        for (index, condition) in transition.guards.enumerated() {
          let guardPlace = "workflows.\(workflow.name).transitions.\(transition.name).guards[\(index)]"
          conditions.append(Condition(place: guardPlace, path: condition.path, columns: view))
        }
      }
    }
    // Conditions over the budget are never run.
    self.conditions = conditions.filter { GuardPath($0.path).excess == nil }
  }

  func findings(_ tx: Transaction) throws -> [ManifestDiagnostic] {
    try conditions.compactMap { condition in
      switch try PredicateTrial.fault(of: condition.path, columns: condition.columns, tx) {
      case .unreadable(let message):
        ManifestDiagnostic(
          .guardUnparsable,
          condition.place,
          "PostgreSQL cannot read the condition: \(message)",
          "write an SQL/JSON path predicate such as '$.hours > 0'"
        )
      case .slow:
        ManifestDiagnostic(
          .guardOverBudget,
          condition.place,
          "the condition is not allowed: it takes longer than \(GuardPath.slowest)",
          "move it to the view"
        )
      case .noPredicate:
        ManifestDiagnostic(
          .guardNoPredicate,
          condition.place,
          "the condition returns a value that is neither true nor false",
          "compare the value with another one, such as '$.hours > 0'"
        )
      case nil: nil
      }
    }
  }
}
