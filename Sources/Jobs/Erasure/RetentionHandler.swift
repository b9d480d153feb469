package import Domain
internal import Engine
internal import Postgres

/// Removes what a company keeps for longer than its retention says. A schedule enqueues the job daily.
package struct RetentionHandler: JobHandler {
  /// `retention.apply`.
  package let kind = Retention.kind
  /// Ten minutes. The next night continues.
  package var timeout: Duration? { .seconds(600) }

  package init() {}

  /// Removes it, a thousand rows of each subject in a transaction. May be repeated.
  package func run(_ payload: JSONObject, context: JobContext) async throws -> JobEffects {
    let removed = try await Retention.apply(company: context.company, context.database)
    for (subject, count) in removed.sorted(by: { $0.key < $1.key }) {
      context.note("removed \(count) of \(subject)")
    }
    return .none
  }
}
