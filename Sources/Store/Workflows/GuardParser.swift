package import Domain
package import Postgres

/// Checks with PostgreSQL that guards are SQL/JSON path predicates, because only PostgreSQL's parser is
/// authoritative.
package enum GuardParser {
  /// Returns the findings about the guards of a definition.
  package static func findings(in definition: WorkflowDefinition, _ tx: Transaction) throws
    -> [WorkflowDiagnostic]
  {
    try findings(
      definition.transitions.flatMap { transition in
        transition.guards.enumerated().map { ("transitions.\(transition.name).guards[\($0)]", $1.path) }
      },
      tx
    )
  }

  /// Returns the findings about the guards of an overlay.
  package static func findings(in overlay: WorkflowOverlay, _ tx: Transaction) throws -> [WorkflowDiagnostic]
  {
    try findings(
      overlay.transitions.flatMap { transition in
        transition.guards.enumerated().map {
          ("tighten.transitions.\(transition.name).guards[\($0)]", $1.path)
        }
      },
      tx
    )
  }

  private static func findings(
    _ guards: [(place: String, path: String)],
    _ tx: Transaction
  ) throws -> [WorkflowDiagnostic] {
    // Guards over the budget are never run, so they are not checked here.
    try guards.filter { GuardPath($0.path).excess == nil }.compactMap { place, path in
      switch try PredicateTrial.fault(of: path, columns: GuardPath(path).columns, tx) {
      case .unreadable(let message):
        WorkflowDiagnostic(
          code: .guardUnparsable,
          path: place,
          message: "PostgreSQL cannot read the guard: \(message)",
          hint: "write an SQL/JSON path predicate such as '$.hours > 0'"
        )
      case .slow:
        WorkflowDiagnostic(
          code: .guardOverBudget,
          path: place,
          message: "the guard is not allowed: it takes longer than \(GuardPath.slowest)",
          hint: "move it to the view"
        )
      case .noPredicate:
        WorkflowDiagnostic(
          code: .guardNoPredicate,
          path: place,
          message: "the guard returns a value that is neither true nor false",
          hint: "compare the value with another one, such as '$.hours > 0'"
        )
      case nil: nil
      }
    }
  }
}
