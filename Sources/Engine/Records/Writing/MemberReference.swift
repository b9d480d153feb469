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

  /// Returns the query for whether users are members who were not removed, with their ids. It has no row for a user who
  /// never was a member.
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
  /// Requires that member fields name current members only.
  ///
  /// - Throws: `not_found` naming the column.
  func requireMembers(
    in fields: JSONObject,
    of type: RecordType,
    _ acting: ActingContext,
    in work: Work
  ) throws {
    let members = MemberReference.all(in: fields, of: type)
    guard !members.isEmpty else { return }
    let query = MemberReference.query(company: acting.company.id, each: members.map(\.id))
    let rows = try work.transaction.rows(query, UUID.self, Bool.self)
    let known = Dictionary(rows) { first, _ in first }
    for member in members { try member.require(known[member.id]) }
  }
}
