package import Domain
package import Engine
package import FoundationEssentials
internal import Postgres
internal import Store

/// The result of a split.
package struct SplitAnswer: Sendable, Codable {
  /// The completed entry.
  package let done: RecordAnswer
  /// The new entry with the remaining work.
  package let rest: RecordAnswer
}

extension Records {
  /// Returns an entry as its typed model.
  ///
  /// - Throws: `not_found`, also for an entry that the member may not read.
  package func entry(_ acting: ActingContext, id: UUID) async throws -> MaintenanceEntry {
    let document = try await show(acting, type: MaintenanceEntry.typeName, id: id)
    return try JSONValueDecoder.decode(MaintenanceEntry.self, from: .object(document))
  }

  /// Completes a partly done entry and creates an entry for the rest, in one unit of work.
  ///
  /// Requires the permissions to complete the entry and to create one. The new entry copies the machine,
  /// category, plan, assignee, due date and priority. Logged hours stay with the completed entry.
  ///
  /// - Parameters:
  ///   - rest: fields of the new entry that differ, such as `description` and `estimated_hours`.
  ///   - comment: the reason, for the history of the completed entry.
  ///   - dryRun: true to roll back and only report what would happen.
  /// - Throws: `wrong_state` unless the entry is in progress.
  package func split(
    _ acting: ActingContext,
    entry: UUID,
    rest: JSONObject,
    comment: String?,
    dryRun: Bool = false
  ) async throws -> SplitAnswer {
    let type = MaintenanceEntry.typeName
    let before = try await self.entry(acting, id: entry)
    let fields = try before.remainder(of: entry, changes: rest)
    return try await perform(acting, dryRun: dryRun) { work in
      let request = TransitionRequest(MaintenanceStatus.Action.complete.rawValue, comment: comment)
      let done = try transition(acting, type: type, id: entry, request: request, in: &work)
      // A plan has at most one unfinished entry, so this entry must be completed before the new one is
      // created.
      try work.writeRowsNow()
      let id = work.newID()
      return SplitAnswer(done: done, rest: try create(acting, type: type, id: id, fields: fields, in: &work))
    }
  }
}
