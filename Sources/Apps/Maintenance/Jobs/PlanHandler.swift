package import Domain
package import Engine
internal import FoundationEssentials
package import Jobs
internal import Postgres
internal import Secrets
internal import Store

/// `pm.plan`: creates entries for the due preventive plans of a company.
///
/// Runs every morning, after a new, corrected or withdrawn meter reading, and when a plan is created, changed
/// or resumed.
package struct PlanHandler: JobHandler {
  package let kind = "pm.plan"
  private let records: Records

  /// Maximum number of entries per job; the next job creates the rest.
  private static let batch = 200

  package init(_ records: Records) {
    self.records = records
  }

  package func run(_ payload: JSONObject, context: JobContext) async throws -> JobEffects {
    let company = context.job.company
    return JobEffects { [records] tx in
      let acting = try ActingContext.system("pm.plan", company: company, tx)
      try records.perform(in: tx, acting) { work in
        let made = try MaintenancePlans(records).makeDueEntries(acting, limit: Self.batch, in: &work)
        if made == Self.batch {
          work.changes.jobs.append(
            NewJob(id: work.newID(), kind: "pm.plan", payload: JSON([:] as JSONObject))
          )
        }
      }
    }
  }
}
