package import Domain
package import Engine
package import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

/// The actions of a link's bearer, on behalf of the plan's owner. The owner is the creator of added records;
/// history names the link. The bearer has no access to the owner's other records.
extension Shares {
  /// Returns the plan and its stops in order.
  package func show(_ shared: SharedPlan) async throws -> (plan: JSONObject, stops: [JSONObject]) {
    let plan = try await records.show(shared.acting, type: "trips.plan", id: shared.plan)
    return (plan, try await TripReader(services, records).stops(shared.acting, plan: shared.plan))
  }

  /// Changes fields of the plan.
  ///
  /// - Throws: `not_found` for a link that is no longer valid, `forbidden` for a link with level `read`.
  @discardableResult
  package func updatePlan(
    _ shared: SharedPlan,
    fields: JSONObject,
    version: Int64? = nil
  ) async throws -> RecordAnswer {
    try await editing(shared) { work in
      try records.update(
        shared.acting,
        type: "trips.plan",
        id: shared.plan,
        fields: fields,
        version: version,
        in: &work
      )
    }
  }

  /// Adds a stop to the plan.
  ///
  /// - Throws: `not_found` for a link that is no longer valid, `forbidden` for a link with level `read`.
  @discardableResult
  package func addStop(_ shared: SharedPlan, id: UUID? = nil, fields: JSONObject) async throws -> RecordAnswer
  {
    var complete = fields
    complete["plan_id"] = .string(shared.plan.text)
    let (id, given) = (id ?? services.ids.next(), complete)
    return try await editing(shared) { work in
      try records.create(shared.acting, type: "trips.stop", id: id, fields: given, in: &work)
    }
  }

  /// Changes fields of a stop of the plan.
  ///
  /// - Throws: `not_found` for a stop of another plan or a link that is no longer valid, `forbidden` for a
  ///   link with level `read`.
  @discardableResult
  package func updateStop(
    _ shared: SharedPlan,
    stop: UUID,
    fields: JSONObject,
    version: Int64? = nil
  ) async throws -> RecordAnswer {
    try await editing(shared) { work in
      let belongs = try work.readMore { pipeline in
        pipeline.rows(
          """
          select true from trips.stop t
          where t.company_id = \(shared.acting.company.id) and t.id = \(stop) and t.plan_id = \(shared.plan)
          """,
          Bool.self
        )
      }
      guard try belongs.first == true else { throw DomainError(.notFound, "there is no such stop") }
      return try records.update(
        shared.acting,
        type: "trips.stop",
        id: stop,
        fields: fields,
        version: version,
        in: &work
      )
    }
  }

  /// Runs a change if the link still permits it, checked in the transaction that writes.
  private func editing(
    _ shared: SharedPlan,
    _ body: @escaping @Sendable (inout Work) throws -> RecordAnswer
  ) async throws -> RecordAnswer {
    try await records.perform(shared.acting) { work in
      let (_, share) = try work.read { pipeline in
        pipeline.rows(Self.lookup(shared.link), as: FoundShare.self)
      }
      guard let found = try share.first, found.isUsable else { throw Self.refusal }
      guard ShareLevel(rawValue: found.level) == .edit else {
        throw DomainError(.forbidden, "this link permits only reading", hint: "ask for a link of level edit")
      }
      return try body(&work)
    }
  }
}
