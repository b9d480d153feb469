internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

extension CompanyCheck {
  /// Finds private records whose owner was removed from the company: nobody can read them any more. A suspended owner
  /// comes back to them.
  mutating func checkOwners(of types: [RecordType]) throws {
    let left = try tx.rows(
      """
      select m.user_id, u.name
      from core.membership m
      join core.app_user u on u.id = m.user_id
      where m.company_id = \(company.id) and m.status = 'removed'
      order by m.user_id
      """,
      UUID.self,
      String.self
    )
    let only: SQL = scope.record.map { "and t.id = \($0)" } ?? ""
    for (owner, name) in left {
      try tx.act(for: owner)
      for type in types where type.definition.scope == .owner {
        try find(
          .ownerNotActive,
          type: type.name,
          """
          select t.id, 'it is private to ' || \(name) || ', who is no active member'
          from \(type.table) t
          where t.company_id = \(company.id) and t.created_by = \(owner) and t.deleted_at is null \(only)
          order by t.id
          """
        )
      }
    }
    try tx.execute("select set_config('fettle.user_id', '', true)")
  }
}
