internal import Domain
internal import Postgres

/// Checks the states of workflows against the check constraints on the two status columns, which could reject
/// a transition.
struct StatusCheck {
  let manifest: AppManifest

  /// Returns a finding for each state that a check constraint of its type's table rejects.
  func findings(_ tx: Transaction) throws -> [ManifestDiagnostic] {
    try manifest.types.flatMap { type in
      guard let workflow = type.workflow.flatMap(manifest.workflow) else { return [ManifestDiagnostic]() }
      return try checks(on: type.table, tx).flatMap { name, condition in
        try workflow.states.compactMap { state in
          guard try refuses(condition, state, tx) else { return nil }
          return ManifestDiagnostic(
            .statusRefused,
            "workflows.\(workflow.name).states.\(state.name)",
            "the check \(name) of \(type.table) refuses the status \(state.name) of category \(state.category.rawValue)",
            "let the check allow every state and category of the workflow"
          )
        }
      }
    }
  }

  /// Returns the check constraints of a table that read no columns but these two, each with its name and
  /// condition.
  private func checks(on relation: String, _ tx: Transaction) throws -> [(String, String)] {
    try tx.rows(
      """
      select k.conname::text, pg_get_expr(k.conbin, k.conrelid)
      from pg_constraint k
      where k.conrelid = to_regclass(\(relation)) and k.contype = 'c'
        and not exists (
          select from unnest(k.conkey) c (number)
          join pg_attribute a on a.attrelid = k.conrelid and a.attnum = c.number
          where a.attname not in ('status', 'status_category')
        )
      order by 1
      """,
      String.self,
      String.self
    )
  }

  private func refuses(_ condition: String, _ state: WorkflowState, _ tx: Transaction) throws -> Bool {
    // The condition is PostgreSQL's own text of an accepted check constraint.
    let holds = try tx.value(
      """
      select \(SQL(trusted: condition))
      from (select \(state.name)::text as status, \(state.category.rawValue)::text as status_category) s
      """,
      as: Bool?.self
    )
    return holds == false
  }
}
