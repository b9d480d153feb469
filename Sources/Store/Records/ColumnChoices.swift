package import Postgres

/// The values that a check constraint permits in a text column of a record table.
package struct ColumnChoices: RowDecodable, Sendable, Hashable {
  /// The table, as `schema.name`.
  package let table: String
  package let column: String
  /// The permitted values, in the order of the constraint.
  package let values: [String]

  package init(row: inout RowReader) throws(PostgresError) {
    table = try row.next()
    column = try row.next()
    values = try row.next()
  }

  /// Selects the choices of all record types. Only constraints of the form `column in ('a', 'b')` are read.
  package static let query = of("true")

  /// Selects the choices of one record type.
  package static func query(of type: RecordType) -> SQL { of("t.name = \(type.name)") }

  private static func of(_ condition: SQL) -> SQL {
    """
    select t.table_schema || '.' || t.table_name, a.attname,
      array(
        select m.part[1]
        from regexp_matches(d.text, '''([^'']*)''::text', 'g') with ordinality m (part, n)
        order by m.n
      )
    from core.record_type t
    join pg_namespace n on n.nspname = t.table_schema
    join pg_class c on c.relnamespace = n.oid and c.relname = t.table_name
    join pg_constraint k on k.conrelid = c.oid and k.contype = 'c' and cardinality(k.conkey) = 1
    join pg_attribute a on a.attrelid = c.oid and a.attnum = k.conkey[1]
    cross join lateral (select pg_get_constraintdef(k.oid) as text) d
    where d.text ~ '^CHECK \\(\\([a-z0-9_]+ = ANY \\(ARRAY\\[(''[^'']*''::text(, )?)+\\]\\)\\)\\)$'
      and \(condition)
    order by 1, 2
    """
  }
}
