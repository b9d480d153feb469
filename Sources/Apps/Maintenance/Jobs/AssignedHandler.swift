internal import Domain
internal import FoundationEssentials
package import Jobs
internal import Postgres
internal import Secrets
internal import Store

/// `entry.assigned`: notifies a member of an entry that somebody else assigned to them.
package struct AssignedHandler: JobHandler {
  /// The payload written by the hook on an assignment.
  package struct Payload: Codable, Sendable {
    let recordID: UUID
    let historySeq: Int64

    enum CodingKeys: String, CodingKey {
      case recordID = "record_id"
      case historySeq = "history_seq"
    }
  }

  package let kind = "entry.assigned"

  package init() {}

  package func run(_ payload: Payload, context: JobContext) async throws -> JobEffects {
    let company = context.job.company
    let trace = context.traceID
    return JobEffects { tx in
      let isToBeTold = try tx.value(
        """
        select true
        from maintenance.entry e
        join core.history h
          on h.company_id = e.company_id and h.record_type = 'maintenance.entry' and h.record_id = e.id
            and h.seq = \(payload.historySeq)
        where e.company_id = \(company) and e.id = \(payload.recordID) and e.deleted_at is null
          and e.status_category <> 'done' and e.assigned_to is not null
          and e.assigned_to is distinct from coalesce(h.on_behalf_of, h.actor_id)
        """,
        as: Bool?.self
      )
      guard isToBeTold == true else { return }
      let notice = NewJob(
        id: UUIDv7Generator.shared.next(),
        kind: "notify.send",
        payload: JSON(
          [
            "to": "field:assigned_to", "template": "maintenance.entry_assigned",
            "record_type": "maintenance.entry",
            "record_id": .string(payload.recordID.text), "history_seq": .integer(payload.historySeq),
          ] as JSONObject
        ),
        cause: ("maintenance.entry", payload.recordID)
      )
      try JobOutbox.write([notice], company: company, traceID: trace, tx)
    }
  }
}
