internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Jobs
internal import Postgres
internal import Store

/// Writes a responder's answer as records of the conversation's owner. The rules of the record types apply.
struct PlanAnswerWriter {
  let records: Records
  let acting: ActingContext
  let conversation: UUID

  func write(_ answer: PlanAnswer, in work: inout Work) throws {
    if let message = answer.message, !message.isEmpty {
      let fields: JSONObject = [
        "conversation_id": .string(conversation.text), "author": "assistant", "content": .string(message),
      ]
      _ = try records.create(acting, type: "trips.message", id: work.newID(), fields: fields, in: &work)
    }
    guard let plan = answer.plan else { return }
    let id = try self.plan(plan, in: &work)
    // Stops refer to the plan, so it must exist before them.
    try work.writeRowsNow()
    for (index, stop) in plan.stops.enumerated() {
      var fields = stop
      fields["plan_id"] = .string(id.text)
      if fields["position"] == nil { fields["position"] = .integer(index + 1) }
      if fields["day_no"] == nil { fields["day_no"] = 1 }
      _ = try records.create(acting, type: "trips.stop", id: work.newID(), fields: fields, in: &work)
    }
  }

  private func plan(_ plan: PlanAnswer.Plan, in work: inout Work) throws -> UUID {
    guard let named = plan.id else {
      var fields = plan.fields
      fields["conversation_id"] = .string(conversation.text)
      return try records.create(acting, type: "trips.plan", id: work.newID(), fields: fields, in: &work).id
    }
    guard let id = UUID(text: named) else {
      throw DomainError(.invalidID, "plan.id: \(Quoted(named)) is not an id")
    }
    let isHere = try work.readMore { pipeline in
      pipeline.rows(
        """
        select true from trips.v_plan p
        where p.company_id = \(acting.company.id) and p.id = \(id) and p.conversation_id = \(conversation)
        """,
        Bool.self
      )
    }
    guard try isHere.first == true else {
      throw DomainError(.notFound, "the conversation has no plan \(id.text)")
    }
    guard !plan.fields.isEmpty else { return id }
    return try records.update(acting, type: "trips.plan", id: id, fields: plan.fields, in: &work).id
  }
}
