import Postgres

/// A table, partition or view of the installed schemas, as the catalogue describes it.
struct Relation: RowDecodable, Sendable, CustomStringConvertible {
  let schema: String
  let name: String
  /// `table`, `partition` or `view`.
  let kind: String
  /// The columns that a statement may write, in order.
  let columns: [String]
  /// The columns of the primary key; empty for views.
  let key: [String]
  /// True if rows belong to companies.
  let isOfCompanies: Bool

  var description: String { "\(schema).\(name)" }

  /// The quoted name.
  var quoted: String { "\"\(schema)\".\"\(name)\"" }

  init(row: inout RowReader) throws(PostgresError) {
    schema = try row.next()
    name = try row.next()
    kind = try row.next()
    columns = try row.next()
    key = try row.next()
    isOfCompanies = try row.next()
  }

  /// Reads all relations but those of PostgreSQL itself.
  static let query: SQL = """
    select n.nspname::text, c.relname::text,
      case when c.relkind = 'v' then 'view' when c.relispartition then 'partition' else 'table' end,
      array(select a.attname::text from pg_attribute a
            where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
              and a.attgenerated = '' and a.attidentity <> 'a'
            order by a.attnum),
      array(select a.attname::text from pg_index i
            cross join lateral unnest(i.indkey) with ordinality k (number, place)
            join pg_attribute a on a.attrelid = c.oid and a.attnum = k.number
            where i.indrelid = c.oid and i.indisprimary
            order by k.place),
      c.oid::regclass::text in ('core.company', 'core.app_user', 'core.former_name') or exists (
        select from pg_attribute a
        where a.attrelid = c.oid and a.attname = 'company_id' and not a.attisdropped)
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'v')
      and n.nspname !~ '^pg_' and n.nspname not in ('information_schema', 'public')
    order by 1, 2
    """
}
