package import Domain
package import Engine
package import FoundationEssentials
internal import Postgres
internal import Store

/// The result of splitting an entry.
package struct SplitAnswer: Sendable, Codable {
  /// The completed entry.
  package let done: RecordAnswer
  /// The new entry with the remaining work.
  package let rest: RecordAnswer
}

extension Records {
  /// Completes a partly done entry and creates another one for the rest, both or neither.
  ///
  /// Requires the permissions to complete the one and to create the other. The new entry has the machine, the
  /// category, the plan and the assignee of the old one; hours stay with the entry they were worked on.
  ///
  /// - Parameters:
  ///   - rest: fields of the new entry that differ, such as `description` and `estimated_hours`.
  ///   - comment: the reason, for the history of the completed entry.
  package func split(
    _ acting: ActingContext,
    entry: UUID,
    rest: JSONObject,
    comment: String?,
    dryRun: Bool = false
  ) async throws -> SplitAnswer {
    let type = "maintenance.entry"
    let before = try await show(acting, type: type, id: entry)
    return try await perform(acting, dryRun: dryRun) { work in
      let request = TransitionRequest("complete", comment: comment)
      let done = try transition(acting, type: type, id: entry, request: request, in: &work)
      // A plan has at most one entry that is not done, so this one must be done before the new one exists.
      try work.writeRowsNow()
      var fields: JSONObject = ["split_from": .string(entry.text)]
      let kept = [
        "machine_id", "category_id", "description", "estimated_hours", "priority", "assigned_to", "due_on",
        "plan_id",
      ]
      for column in kept {
        if let value = before[column], !value.isNull { fields[column] = value }
      }
      for (column, value) in rest.members { fields[column] = value }
      let id = work.newID()
      return SplitAnswer(done: done, rest: try create(acting, type: type, id: id, fields: fields, in: &work))
    }
  }
}
