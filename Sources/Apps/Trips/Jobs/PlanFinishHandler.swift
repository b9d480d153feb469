internal import Domain
package import Engine
internal import FoundationEssentials
package import Jobs
internal import Postgres
internal import Store

/// `plan.finish`: completes the active trips of a company after their last day has ended in all time zones.
///
/// Trips are private, so they are read member by member. Each trip is completed in its own unit of work. If
/// the worker dies, another run completes the remaining trips.
package struct PlanFinishHandler: JobHandler {
  /// The empty payload. The company of the job is the one whose trips are completed.
  package struct Payload: Codable, Sendable {
    package init() {}
  }

  package let kind = "plan.finish"
  private let records: Records

  /// - Parameter records: opened with the worker's login.
  package init(_ records: Records) {
    self.records = records
  }

  package func run(_ payload: Payload, context: JobContext) async throws -> JobEffects {
    let company = context.job.company
    let due = try await context.database.transaction(.inside(company, readOnly: true)) { tx in
      let members = try tx.rows(
        "select m.user_id from core.membership m where m.company_id = \(company) order by m.user_id",
        UUID.self
      )
      return try members.flatMap { member in
        try tx.act(for: member)
        let acting = try ActingContext.system("plan.finish", company: company, owner: member, tx)
        // The last time zone in which a day ends is UTC−12.
        return try tx.rows(
          """
          select p.id from trips.plan p
          where p.company_id = \(company) and p.created_by = \(member) and p.status_category = 'active'
            and p.deleted_at is null and p.ends_on < (now() at time zone 'UTC' - interval '12 hours')::date
          order by p.id
          """,
          UUID.self
        )
        .map { (acting: acting, plan: $0) }
      }
    }
    for (acting, plan) in due {
      try Task.checkCancellation()
      do {
        let request = TransitionRequest("complete")
        _ = try await records.transition(acting, type: "trips.plan", id: plan, request: request)
      } catch let error as DomainError where [.wrongState, .notFound].contains(error.code) {
        // The owner has archived or deleted the trip meanwhile.
      }
    }
    return .none
  }
}
