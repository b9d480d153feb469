import FoundationEssentials
import Postgres
import TestDatabase

/// A foreign key between two tables of companies.
struct ForeignKey: RowDecodable, Sendable {
  let name: String
  let table: String
  let target: String
  /// The columns besides the company, here and there, in the same order.
  let columns: [String]
  let targets: [String]

  init(row: inout RowReader) throws(PostgresError) {
    name = try row.next()
    table = try row.next()
    target = try row.next()
    columns = try row.next()
    targets = try row.next()
  }

  static let query: SQL = """
    select k.conname::text, k.conrelid::regclass::text, k.confrelid::regclass::text,
      array(select a.attname::text from unnest(k.conkey) with ordinality u (n, i)
            join pg_attribute a on a.attrelid = k.conrelid and a.attnum = u.n
            where a.attname <> 'company_id' order by u.i),
      array(select a.attname::text from unnest(k.confkey) with ordinality u (n, i)
            join pg_attribute a on a.attrelid = k.confrelid and a.attnum = u.n
            where a.attname <> 'company_id' order by u.i)
    from pg_constraint k
    join pg_class c on c.oid = k.conrelid and not c.relispartition
    where k.contype = 'f'
      and exists (select from pg_attribute a where a.attrelid = k.conrelid and a.attname = 'company_id')
      and exists (select from pg_attribute a where a.attrelid = k.confrelid and a.attname = 'company_id')
    order by 1, 2
    """

  /// Makes a row of company A refer to a row of company B as a superuser, whom only the key stops.
  ///
  /// - Returns: the SQLSTATE of the refusal, or `accepted`; nil if company A has no row to change, or if both
  ///   companies have the same key, such as the name of a role.
  func attempt(_ tx: Transaction) throws -> String? {
    let theirs = targets.map { "x.\"\($0)\"" }.joined(separator: ", ")
    let mine = columns.map { "\"\($0)\"" }.joined(separator: ", ")
    let foreign = """
      from \(target) x
      where x.company_id = '\(TwoCompanies.b)' and not exists (
        select from \(target) y
        where y.company_id = '\(TwoCompanies.a)' and (\(theirs.replacing("x.", with: "y."))) = (\(theirs)))
      """
    let update = """
      update \(table) set (\(mine)) = row (\(targets.map { "f.\"\($0)\"" }.joined(separator: ", ")))
      from (select \(theirs) \(foreign) limit 1) f
      where company_id = '\(TwoCompanies.a)'
      """
    do {
      // Triggers of users guard records against changes by hand; those of foreign keys stay.
      try tx.execute(SQL(trusted: "alter table \(table) disable trigger user"))
      return try tx.execute(SQL(trusted: update)) == 0 ? nil : "accepted"
    } catch {
      return error.sqlState?.rawValue ?? error.message
    }
  }
}
