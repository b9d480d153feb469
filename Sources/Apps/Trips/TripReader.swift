package import Domain
package import Engine
package import FoundationEssentials
internal import Postgres
internal import Store

/// Reads plans with their stops, and conversations with their messages, in order.
package struct TripReader: Sendable {
  private let services: Services
  private let records: Records

  package init(_ services: Services, _ records: Records) {
    self.services = services
    self.records = records
  }

  /// Returns the stops of a plan by day and position, and by id if two devices chose the same position.
  package func stops(_ acting: ActingContext, plan: UUID) async throws -> [JSONObject] {
    try await CompanyAdministration(services).read(acting, permission: "trips.stop.read") { tx, _ in
      try tx.rows(
        """
        select to_jsonb(s) from trips.v_stop s
        where s.company_id = \(acting.company.id) and s.plan_id = \(plan)
        order by s.day_no, s.position, s.id
        """,
        JSON.self
      )
      .compactMap { try $0.value().object }
    }
  }

  /// Returns the last messages of a conversation, oldest first.
  ///
  /// - Parameters:
  ///   - seq: the position before which the messages end; nil for the end of the conversation.
  ///   - limit: the maximum number of messages.
  /// - Throws: `not_found` for a conversation that the member may not read.
  package func messages(
    _ acting: ActingContext,
    conversation: UUID,
    before seq: Int? = nil,
    limit: Int = 100
  ) async throws -> [JSONObject] {
    _ = try await records.show(acting, type: "trips.conversation", id: conversation)
    return try await CompanyAdministration(services).read(acting, permission: "trips.message.read") { tx, _ in
      try tx.rows(
        """
        select to_jsonb(m) from (
          select v.* from trips.v_message v
          where v.company_id = \(acting.company.id) and v.conversation_id = \(conversation)
            and v.seq < \(Int32(clamping: seq ?? Int(Int32.max)))
          order by v.seq desc
          limit \(limit)
        ) m
        order by m.seq
        """,
        JSON.self
      )
      .compactMap { try $0.value().object }
    }
  }

  /// Returns a plan for export to calendars and maps.
  package func document(_ acting: ActingContext, plan id: UUID) async throws -> TripDocument {
    let plan = try await records.show(acting, type: "trips.plan", id: id)
    return try TripDocument(plan: plan, stops: try await stops(acting, plan: id))
  }
}
