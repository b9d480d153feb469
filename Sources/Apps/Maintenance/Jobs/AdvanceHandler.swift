internal import Domain
package import Engine
internal import FoundationEssentials
package import Jobs
internal import Postgres
internal import Store

/// `pm.advance`: computes the next due date of a completed entry's plan.
package struct AdvanceHandler: JobHandler {
  package let kind = "pm.advance"
  private let records: Records

  package init(_ records: Records) {
    self.records = records
  }

  /// - Parameter payload: written by the effect of a completion.
  package func run(_ payload: RecordPayload, context: JobContext) async throws -> JobEffects {
    let company = context.job.company
    return JobEffects { [records] tx in
      let acting = try ActingContext.system("pm.advance", company: company, tx)
      _ = try records.perform(in: tx, acting) { work in
        try MaintenancePlans(records).advance(acting, entry: payload.recordID, in: &work)
      }
    }
  }
}
