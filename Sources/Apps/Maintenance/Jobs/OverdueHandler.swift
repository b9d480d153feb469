package import Domain
internal import Engine
internal import FoundationEssentials
package import Jobs
internal import Postgres
internal import Secrets
internal import Store

/// `entry.overdue`: sends one notice per overdue entry and due date, to the assignee or, without one, to the
/// administrators. A job sends at most 1,000 notices.
package struct OverdueHandler: JobHandler {
  package let kind = "entry.overdue"

  package init() {}

  package func run(_ payload: JSONObject, context: JobContext) async throws -> JobEffects {
    let company = context.job.company
    return JobEffects { tx in
      // Skips entries with a notice for this due date. The unique key of the jobs covers notices that are
      // still queued.
      let entries = try tx.rows(
        """
        select v.id, v.due_on::text, v.assigned_to is not null, h.seq
        from maintenance.v_entry v
        cross join lateral (
          select max(x.seq) as seq from core.history x
          where x.company_id = v.company_id and x.record_type = 'maintenance.entry' and x.record_id = v.id
        ) h
        where v.company_id = \(company) and v.is_overdue
          and not exists (
            select from core.notification n
            where n.company_id = v.company_id and n.record_type = 'maintenance.entry' and n.record_id = v.id
              and n.template = 'maintenance.entry_past_due' and n.data ->> 'due_on' = v.due_on::text
          )
        order by v.due_on, v.id
        limit 1000
        """,
        UUID.self,
        String.self,
        Bool.self,
        Int64.self
      )
      let notices = entries.map { id, due, isAssigned, seq in
        NewJob(
          id: UUIDv7Generator.shared.next(),
          kind: "notify.send",
          payload: JSON(
            [
              "to": .string(isAssigned ? "field:assigned_to" : "role:admin"),
              "template": "maintenance.entry_past_due",
              "record_type": "maintenance.entry", "record_id": .string(id.text), "history_seq": .integer(seq),
            ] as JSONObject
          ),
          cause: ("maintenance.entry", id),
          uniqueKey: "overdue:\(id.text):\(due)"
        )
      }
      try JobOutbox.write(notices, company: company, traceID: context.traceID, tx)
    }
  }
}
