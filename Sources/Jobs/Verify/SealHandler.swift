package import Domain
internal import Engine
internal import Store

/// Seals a company's history up to the start of the current day in the company's time zone, or up to an hour
/// ago if that is earlier. A schedule enqueues the job daily.
package struct SealHandler: JobHandler {
  /// `history.seal`.
  package let kind = "history.seal"

  /// Creates a handler.
  package init() {}

  /// Returns effects that add the seal. They write nothing if the day is already sealed.
  package func run(_ payload: JSONObject, context: JobContext) async throws -> JobEffects {
    let company = context.job.company
    return JobEffects { tx in _ = try KeptSeal.add(company: company, tx) }
  }
}
