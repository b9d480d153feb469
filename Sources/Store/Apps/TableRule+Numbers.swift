internal import Domain
internal import Postgres

extension TableRule {
  /// Rules about the number columns and their unique index, for types with numbers.
  static func numbers(_ subject: Subject) -> [TableRule] {
    [
      TableRule(
        .missingNumber,
        """
        select t.name, format('lacks the column %s %s', c.name, c.type)
        from (\(tables(subject))) t
        cross join (values ('number', 'text'::regtype), ('number_seq', 'bigint'::regtype)) c (name, type)
        where t.name = any (\(subject.numberedTables))
          and not exists (
            select from pg_attribute a
            where a.attrelid = t.oid and a.attname = c.name and a.atttypid = c.type and a.attgenerated = ''
              and not a.attisdropped
          )
        union all
        select t.name, 'has no unique index on (company_id, number_seq)'
        from (\(tables(subject))) t
        where t.name = any (\(subject.numberedTables))
          and not exists (
            select from pg_index i
            join pg_attribute a on a.attrelid = t.oid and a.attname = 'number_seq'
            where i.indrelid = t.oid and i.indisunique and i.indnkeyatts = 2 and i.indpred is null
              and i.indkey[0] = t.company and i.indkey[1] = a.attnum
          )
        """,
        hint:
          "write `number text, number_seq bigint` and `create unique index on … (company_id, number_seq)`"
      )
    ]
  }
}
