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

  /// Maximum number of plans per job; the next job goes on after the last of them.
  private static let batch = 200

  package init(_ records: Records) {
    self.records = records
  }

  package func run(_ payload: JSONObject, context: JobContext) async throws -> JobEffects {
    let company = context.job.company
    return JobEffects { [records] tx in
      let acting = try ActingContext.system("pm.plan", company: company, tx)
      try records.perform(in: tx, acting) { work in
        let (_, last) = try MaintenancePlans(records)
          .makeDueEntries(
            acting,
            after: payload["after"]?.string.flatMap(UUID.init(text:)),
            limit: Self.batch,
            in: &work
          )
        if let last {
          let rest: JSONObject = ["after": .string(last.text)]
          work.changes.jobs.append(NewJob(id: work.newID(), kind: "pm.plan", payload: JSON(rest)))
        }
      }
    }
  }
}
