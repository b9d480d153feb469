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
      let columns = GuardPath(path).columns
      if let error = try refusal(of: path, columns, filledWith: "null", silent: true, tx) {
        return WorkflowDiagnostic(
          code: .guardUnparsable,
          path: place,
          message: "PostgreSQL cannot read the guard: \(error.message)",
          hint: "write an SQL/JSON path predicate such as '$.hours > 0'"
        )
      }
      // On a document of numbers, a path that is not a predicate returns a number, which raises SQLSTATE
      // 22038.
      let error = try refusal(of: path, columns, filledWith: "1", silent: false, tx)
      guard error?.sqlState?.rawValue == "22038" else { return nil }
      return WorkflowDiagnostic(
        code: .guardNoPredicate,
        path: place,
        message: "the guard returns a value that is neither true nor false",
        hint: "compare the value with another one, such as '$.hours > 0'"
      )
    }
  }

  private static func refusal(
    of path: String,
    _ columns: [String],
    filledWith value: String,
    silent: Bool,
    _ tx: Transaction
  ) throws -> PostgresError? {
    do {
      _ = try tx.savepoint { inner in
        try inner.value(
          """
          select jsonb_path_match(
            (select coalesce(jsonb_object_agg(c.name, \(JSON(text: value))), '{}') from unnest(\(columns)) c (name)),
            \(path)::text::jsonpath, '{}', \(silent))
          """,
          as: Bool?.self
        )
      }
      return nil
    } catch let error as PostgresError where error.kind == .server {
      return error
    }
  }
}
