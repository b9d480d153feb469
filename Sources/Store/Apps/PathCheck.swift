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
      if let error = try refusal(of: condition, filledWith: "null", silent: true, tx) {
        return ManifestDiagnostic(
          .guardUnparsable,
          condition.place,
          "PostgreSQL cannot read the condition: \(error.message)",
          "write an SQL/JSON path predicate such as '$.hours > 0'"
        )
      }
      // On a document of numbers, a path that is not a predicate returns a number, which raises SQLSTATE
      // 22038.
      let error = try refusal(of: condition, filledWith: "1", silent: false, tx)
      guard error?.sqlState?.rawValue == "22038" else { return nil }
      return ManifestDiagnostic(
        .guardNoPredicate,
        condition.place,
        "the condition returns a value that is neither true nor false",
        "compare the value with another one, such as '$.hours > 0'"
      )
    }
  }

  private func refusal(
    of condition: Condition,
    filledWith value: String,
    silent: Bool,
    _ tx: Transaction
  ) throws -> PostgresError? {
    do {
      _ = try tx.savepoint { inner in
        try inner.value(
          """
          select jsonb_path_match(
            (select coalesce(jsonb_object_agg(c.name, \(JSON(text: value))), '{}') from unnest(\(condition.columns)) c (name)),
            \(condition.path)::text::jsonpath, '{}', \(silent))
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
