package import Postgres

/// A column of a record's table, as PostgreSQL's catalogue describes it.
package struct Column: RowDecodable, Sendable, Hashable {
  package let name: String
  /// The SQL type, such as `numeric(12,2)`.
  package let type: String
  package let isNullable: Bool
  package let hasDefault: Bool
  /// True if PostgreSQL computes the column from others; it is never written.
  package let isGenerated: Bool
  package let comment: String?
  /// The kind of values that the column accepts.
  package let kind: ColumnKind

  package init(row: inout RowReader) throws(PostgresError) {
    name = try row.next()
    type = try row.next()
    isNullable = try row.next()
    hasDefault = try row.next()
    isGenerated = try row.next()
    comment = try row.next()
    kind = ColumnKind(type)
  }

  /// True if the column has neither null nor a default.
  package var needsValue: Bool { !isNullable && !hasDefault }

  /// Returns the statement that reads the columns of a table or view, in their order.
  package static func query(schema: String, relation: String) -> SQL {
    """
    select a.attname, format_type(a.atttypid, a.atttypmod), not a.attnotnull, a.atthasdef,
      a.attgenerated <> '', col_description(a.attrelid, a.attnum)
    from pg_attribute a
    join pg_class c on c.oid = a.attrelid
    join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = \(schema) and c.relname = \(relation) and a.attnum > 0 and not a.attisdropped
    order by a.attnum
    """
  }
}
