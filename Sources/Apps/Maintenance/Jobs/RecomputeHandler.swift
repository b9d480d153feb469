internal import Domain
package import Engine
internal import FoundationEssentials
package import Jobs
internal import Postgres
internal import Store

/// `pm.recompute`: recomputes the plans of a meter after one of its readings was corrected or withdrawn, then
/// enqueues `pm.plan`, which creates entries for the plans that are due.
package struct RecomputeHandler: JobHandler {
  package let kind = "pm.recompute"
  private let records: Records

  package init(_ records: Records) {
    self.records = records
  }

  /// - Parameter payload: written by the hook on a reading.
  package func run(_ payload: RecordPayload, context: JobContext) async throws -> JobEffects {
    let company = context.job.company
    return JobEffects { [records] tx in
      let acting = try ActingContext.system("pm.recompute", company: company, tx)
      try records.perform(in: tx, acting) { work in
        _ = try MaintenancePlans(records).recompute(acting, reading: payload.recordID, in: &work)
        work.changes.jobs.append(
          NewJob(id: work.newID(), kind: "pm.plan", payload: JSON([:] as JSONObject))
        )
      }
    }
  }
}
