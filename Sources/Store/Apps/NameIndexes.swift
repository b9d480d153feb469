internal import Postgres

/// The indexes by which records are found by their key, one for each type that has a key of text.
enum NameIndexes {
  /// Creates the indexes that are missing. A table with an index of its own that begins with the company and the key needs
  /// no other one, also if that index has living records only.
  static func write(_ tx: Transaction) throws {
    let missing = try tx.rows(
      """
      select format(
        'create index %I on %I.%I (company_id, %I)%s',
        left(t.table_name, 56) || '_named', t.table_schema, t.table_name, a.attname,
        case when not a.attnotnull then format(' where %I is not null', a.attname) end)
      from core.record_type t
      join pg_class c
        on c.relname = t.table_name
        and c.relnamespace = (select n.oid from pg_namespace n where n.nspname = t.table_schema)
      join pg_attribute a
        on a.attrelid = c.oid and a.attname = t.definition #>> '{key,-1}' and a.atttypid = 'text'::regtype
      join pg_attribute o on o.attrelid = c.oid and o.attname = 'company_id'
      where not exists (
        select from pg_index i
        where i.indrelid = c.oid and i.indkey[0] = o.attnum and i.indkey[1] = a.attnum and i.indisvalid
          and (i.indpred is null or pg_get_expr(i.indpred, i.indrelid) in (
            '(deleted_at IS NULL)', format('(%I IS NOT NULL)', a.attname),
            format('((%I IS NOT NULL) AND (deleted_at IS NULL))', a.attname)))
      )
      order by t.name
      """,
      String.self
    )
    for statement in missing { try tx.execute(SQL(trusted: statement)) }
  }
}
