package import Domain
internal import Engine

/// Forgets the answers and deletions of a company that none of its devices needs any more. A schedule enqueues the job
/// daily.
package struct SyncTrimHandler: JobHandler {
  /// `sync.trim`.
  package let kind = SyncTrim.kind
  /// Ten minutes.
  package var timeout: Duration? { .seconds(600) }

  package init() {}

  /// Forgets them, a thousand in a transaction. May be repeated.
  package func run(_ payload: JSONObject, context: JobContext) async throws -> JobEffects {
    let outcome = try await SyncTrim(context.database, company: context.company).run()
    if outcome != SyncTrim.Outcome() {
      context.note("forgot \(outcome.items) answers, \(outcome.deletions) deletions")
    }
    return .none
  }
}
