package import Domain
internal import Engine
internal import Store

/// Seals a company's history once a day.
package struct SealHandler: JobHandler {
  package let kind = "history.seal"

  package init() {}

  package func run(_ payload: JSONObject, context: JobContext) async throws -> JobEffects {
    let company = context.job.company
    return JobEffects { tx in _ = try KeptSeal.add(company: company, tx) }
  }
}
