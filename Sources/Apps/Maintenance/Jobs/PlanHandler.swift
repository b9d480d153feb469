package import Domain
package import Engine
internal import FoundationEssentials
package import Jobs
internal import Postgres
internal import Secrets
internal import Store

/// `pm.plan`: entries for the preventive plans of a company that are due.
///
/// It runs every morning, after a meter was read, and when a plan is made, changed or resumed.
package struct PlanHandler: JobHandler {
  package let kind = "pm.plan"
  private let records: Records

  /// How many entries one job makes; what is left over the next one does.
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
