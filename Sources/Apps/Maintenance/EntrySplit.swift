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
  /// Reads an entry as its typed model.
  ///
  /// - Throws: `not_found`, also for an entry that the member may not read.
  package func entry(_ acting: ActingContext, id: UUID) async throws -> MaintenanceEntry {
    let document = try await show(acting, type: MaintenanceEntry.typeName, id: id)
    return try JSONValueDecoder.decode(MaintenanceEntry.self, from: .object(document))
  }

  /// Completes an entry that was done in part and creates another one for the rest, both or neither.
  ///
  /// It requires the rights to complete the entry and to create another. The rest has the machine, the category, the
  /// plan and the assignee of the entry; hours stay with the entry they were worked on.
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
    let type = MaintenanceEntry.typeName
    let before = try await self.entry(acting, id: entry)
    let fields = try before.remainder(of: entry, changes: rest)
    return try await perform(acting, dryRun: dryRun) { work in
      let request = TransitionRequest(MaintenanceStatus.Action.complete.rawValue, comment: comment)
      let done = try transition(acting, type: type, id: entry, request: request, in: &work)
      // A plan has at most one entry that is not done, so this one must be done before the new one exists.
      try work.writeRowsNow()
      let id = work.newID()
      return SplitAnswer(done: done, rest: try create(acting, type: type, id: id, fields: fields, in: &work))
    }
  }
}
