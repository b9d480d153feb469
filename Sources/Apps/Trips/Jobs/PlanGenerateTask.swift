package import Domain
package import Engine
internal import FoundationEssentials
package import Jobs
internal import Postgres
internal import Store

/// `plan.generate`: passes a member's message to the operator's program, and stores the answer: a message, a
/// trip, or both. The engine itself calls no model.
package struct PlanGenerateTask: ProgramTask {
  package let kind = "plan.generate"
  private let records: Records

  /// - Parameter records: opened with the worker's login.
  package init(_ records: Records) {
    self.records = records
  }

  package func question(_ payload: JSONObject, context: JobContext) async throws -> JSONObject? {
    let company = context.job.company
    guard let id = payload["record_id"]?.string.flatMap(UUID.init(text:)) else {
      throw JobFailure.permanent("the job names no message")
    }
    return try await context.database.transaction(.inside(company, readOnly: true)) { tx in
      guard let owner = try RecordOwner.find(type: "trips.message", id: id, tx) else {
        return nil
      }
      try tx.act(for: owner)
      guard let asked = try tx.first(AskedMessage.query(company: company, id: id), as: AskedMessage.self)
      else { return nil }
      let messages = try tx.rows(
        """
        select jsonb_build_object('seq', m.seq, 'author', m.author, 'content', m.content)
        from trips.v_message m
        where m.company_id = \(company) and m.conversation_id = \(asked.conversation) and m.seq <= \(asked.seq)
          and m.seq > \(asked.seq) - 200
        order by m.seq
        """,
        JSON.self
      )
      let plans = try tx.rows(
        """
        select to_jsonb(p) || jsonb_build_object('stops', coalesce((
          select jsonb_agg(to_jsonb(s) order by s.day_no, s.position, s.id)
          from trips.v_stop s
          where s.company_id = p.company_id and s.plan_id = p.id), '[]'))
        from trips.v_plan p
        where p.company_id = \(company) and p.conversation_id = \(asked.conversation)
        order by p.created_at, p.id
        """,
        JSON.self
      )
      return [
        "conversation": .string(asked.conversation.text), "message": .string(id.text),
        "messages": .array(try messages.map { try $0.value() }),
        "plans": .array(try plans.map { try $0.value() }),
      ]
    }
  }

  package func effects(of answer: JSONObject, _ payload: JSONObject, context: JobContext) throws -> JobEffects
  {
    let parsed: PlanAnswer
    do {
      parsed = try JSON(answer).decoded(as: PlanAnswer.self)
    } catch {
      throw JobFailure.permanent(DomainError.reading(error, in: "the answer").message)
    }
    guard let id = payload["record_id"]?.string.flatMap(UUID.init(text:)) else { return .none }
    let company = context.job.company
    return JobEffects { [records] tx in
      guard let owner = try RecordOwner.find(type: "trips.message", id: id, tx) else {
        return
      }
      try tx.act(for: owner)
      guard let asked = try tx.first(AskedMessage.query(company: company, id: id), as: AskedMessage.self)
      else { return }  // deleted while the responder was running
      let acting = try ActingContext.system("plan.generate", company: company, owner: owner, tx)
      try records.perform(in: tx, acting) { work in
        try PlanAnswerWriter(records: records, acting: acting, conversation: asked.conversation)
          .write(parsed, in: &work)
      }
    }
  }
}

/// The conversation and position of the job's message.
private struct AskedMessage: RowDecodable, Sendable {
  let conversation: UUID
  let seq: Int32

  init(row: inout RowReader) throws(PostgresError) {
    conversation = try row.next()
    seq = try row.next()
  }

  static func query(company: UUID, id: UUID) -> SQL {
    """
    select m.conversation_id, m.seq from trips.v_message m
    where m.company_id = \(company) and m.id = \(id)
    """
  }
}
