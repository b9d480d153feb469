internal import Domain
internal import Postgres

/// Rules about a record's table and view: the columns that the engine needs to create, list, move and export
/// records.
extension TableRule {
  static func records(_ subject: Subject) -> [TableRule] {
    columns(subject) + statuses(subject) + shown(subject)
  }

  /// Rules about the base columns, the primary key, columns without a value, and limits.
  private static func columns(_ subject: Subject) -> [TableRule] {
    let base: SQL = """
      select t.name, b.attname, b.attnum, b.atttypid, b.attnotnull,
        pg_get_expr(bd.adbin, bd.adrelid) as usual, a.attnum as own, a.attnotnull as own_not_null,
        pg_get_expr(ad.adbin, ad.adrelid) as own_default
      from (\(tables(subject))) t
      join pg_attribute b on b.attrelid = 'core.record_base'::regclass and b.attnum > 0 and not b.attisdropped
      left join pg_attrdef bd on bd.adrelid = b.attrelid and bd.adnum = b.attnum
      left join pg_attribute a
        on a.attrelid = t.oid and a.attname = b.attname and a.atttypid = b.atttypid and not a.attisdropped
      left join pg_attrdef ad on ad.adrelid = a.attrelid and ad.adnum = a.attnum
      where t.name = any (\(subject.recordTables))
      """
    let hint = "begin the table with `like core.record_base including defaults including comments`"
    return [
      TableRule(
        .missingBaseColumn,
        """
        select b.name, format('lacks the base column %s %s', b.attname, b.atttypid::regtype)
        from (\(base)) b
        where b.own is null
        order by b.name, b.attnum
        """,
        hint: hint
      ),
      TableRule(
        .baseColumnDiffers,
        """
        select b.name, format('has another default or another not null on %s than every record', b.attname)
        from (\(base)) b
        where b.own is not null
          and (
            b.own_default is distinct from b.usual
            or b.attnotnull and not b.own_not_null
            or b.own_not_null and not b.attnotnull and b.attname <> 'created_by'
          )
        order by b.name, b.attnum
        """,
        hint: hint
      ),
      TableRule(
        .keyNotID,
        """
        select t.name, 'has another primary key than (company_id, id)'
        from (\(tables(subject))) t
        where t.name = any (\(subject.recordTables))
          and not exists (
            select from pg_index i
            join pg_attribute a on a.attrelid = t.oid and a.attname = 'id'
            where i.indrelid = t.oid and i.indisprimary and i.indnkeyatts = 2
              and i.indkey[0] = t.company and i.indkey[1] = a.attnum
          )
        """,
        hint: "write `primary key (company_id, id)`"
      ),
      TableRule(
        .columnNeverSet,
        """
        select t.name, format('has the column %s, which must have a value and gets none', a.attname)
        from (\(tables(subject))) t
        join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
        where t.name = any (\(subject.recordTables))
          and a.attnotnull and not a.atthasdef and a.attgenerated = ''
          and not exists (
            select from unnest(\(subject.named.created.tables), \(subject.named.created.columns)) n (name, attname)
            where n.name = t.name and n.attname = a.attname
          )
        order by t.name, a.attnum
        """,
        hint: "give the column a default, drop its not null, or list it under editable or fixed"
      ),
      TableRule(
        .invalidLimit,
        """
        select t.name, format('has the column %s, which is %s and takes no limit', a.attname, a.atttypid::regtype)
        from (\(tables(subject))) t
        join unnest(\(subject.named.limited.tables), \(subject.named.limited.columns)) n (name, attname)
          on n.name = t.name
        join pg_attribute a on a.attrelid = t.oid and a.attname = n.attname and not a.attisdropped
        where a.atttypid <> all (array['text', 'varchar', 'bpchar', 'json', 'jsonb']::regtype[])
          and a.atttypid not in (select y.oid from pg_type y where y.typcategory = 'A')
        """,
        hint: "limit only texts, lists and JSON documents; for other types, write a check constraint"
      ),
    ]
  }

  /// Rules about the two columns by which a workflow moves a record.
  private static func statuses(_ subject: Subject) -> [TableRule] {
    [
      TableRule(
        .missingStatus,
        """
        select t.name, format('lacks the column %s text not null', n.attname)
        from (\(tables(subject))) t
        join unnest(\(subject.named.status.tables), \(subject.named.status.columns)) n (name, attname)
          on n.name = t.name
        where not exists (
          select from pg_attribute a
          where a.attrelid = t.oid and a.attname = n.attname and a.atttypid = 'text'::regtype
            and a.attnotnull and a.attgenerated = '' and not a.attisdropped
        )
        order by 1, 2
        """,
        hint: "add `status text not null` and `status_category text not null`: a workflow writes both"
      ),
      TableRule(
        .missingStatus,
        """
        select t.name, 'has status_category, and its type has no workflow'
        from (\(tables(subject))) t
        join pg_attribute a on a.attrelid = t.oid and a.attname = 'status_category' and not a.attisdropped
        where t.name = any (\(subject.recordTables)) and t.name <> all (\(subject.named.status.tables))
        """,
        hint: "name a workflow, or drop the column"
      ),
    ]
  }

  /// Rules about the columns that a view must show for lists, exports, edits and history.
  private static func shown(_ subject: Subject) -> [TableRule] {
    let shown: SQL = """
      select n.view, n.attname, v.oid as relation, t.atttypid as type, a.attnum as number, a.atttypid as own_type
      from unnest(\(subject.named.shown.tables), \(subject.named.shown.views), \(subject.named.shown.columns))
        n (name, view, attname)
      join pg_class v on v.relkind = 'v' and v.oid = to_regclass(n.view)
      left join pg_attribute t on t.attrelid = to_regclass(n.name) and t.attname = n.attname and not t.attisdropped
      left join pg_attribute a on a.attrelid = v.oid and a.attname = n.attname
      """
    return [
      TableRule(
        .viewWithoutColumn,
        """
        select s.view, format('has no column %s', s.attname)
        from (\(shown)) s
        where s.number is null
        order by 1, 2
        """,
        hint:
          "select from the table: the base columns, the status columns, and the columns that members or transitions write"
      ),
      TableRule(
        .viewColumnDiffers,
        """
        select s.view, format('has the column %s as %s, and the table as %s', s.attname, s.own_type::regtype,
          s.type::regtype)
        from (\(shown)) s
        where s.own_type <> s.type
        order by 1, 2
        """,
        hint:
          "select the table's column unchanged, and give computed values another name"
      ),
    ]
  }
}
