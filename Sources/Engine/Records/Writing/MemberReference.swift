internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// A member that a field names. A removed member cannot be assigned to a record.
struct MemberReference: Sendable {
  let column: String
  let id: UUID

  /// Returns the members that the fields name, except those that the same columns name in `before`.
  static func all(in fields: JSONObject, of type: RecordType, before: JSONObject = [:]) -> [MemberReference] {
    type.definition.references.compactMap { reference in
      guard reference.target == "core.membership", let text = fields[reference.column]?.string,
        let id = UUID(text: text), before[reference.column]?.string != id.text
      else { return nil }
      return MemberReference(column: reference.column, id: id)
    }
  }

  /// Returns the query for whether the user is a member who was not removed. It has no row for a user who
  /// never was a member.
  func query(company: UUID) -> SQL {
    """
    select m.status <> 'removed' from core.membership m
    where m.company_id = \(company) and m.user_id = \(id)
    """
  }

  /// Returns the query for the same about several users, with their ids.
  static func query(company: UUID, each ids: [UUID]) -> SQL {
    """
    select x.id, m.status <> 'removed'
    from unnest(\(ids)) x (id)
    join core.membership m on m.company_id = \(company) and m.user_id = x.id
    """
  }

  /// - Throws: `not_found` for a user who never was a member or was removed.
  func require(_ isMember: Bool?) throws {
    guard isMember != true else { return }
    throw DomainError(
      .notFound,
      isMember == nil
        ? "\(column): there is no such member" : "\(column): the member was removed from the company",
      hint: "list the members with `fettle member list`",
      details: ["fields": [.string(column)]]
    )
  }
}

extension Records {
  /// Requires that member fields name current members only. Members that `before` has in the same column are
  /// not checked.
  ///
  /// - Throws: `not_found` naming the column.
  func requireMembers(
    in fields: JSONObject,
    of type: RecordType,
    before: JSONObject = [:],
    _ acting: ActingContext,
    in work: inout Work
  ) throws {
    let members = MemberReference.all(in: fields, of: type, before: before)
    guard !members.isEmpty else { return }
    let tickets = try work.readMore { pipeline in
      members.map { pipeline.rows($0.query(company: acting.company.id), Bool.self) }
    }
    for (member, ticket) in zip(members, tickets) { try member.require(ticket.first) }
  }
}
