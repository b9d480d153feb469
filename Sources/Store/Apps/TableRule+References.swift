internal import Domain
internal import Postgres

/// Checks the references of a manifest against the foreign keys of its tables, and requires comments on
/// tables and views.
extension TableRule {
  static func references(_ subject: Subject) -> [TableRule] {
    let named = subject.named
    // Each reference with the table that it should point to, and each foreign key that contains its column.
    let target: SQL = """
      select r.name, r.attname, r.target, coalesce(
          (select o.name from unnest(\(named.types), \(named.tables)) o (type, name) where o.type = r.target),
          (select format('%s.%s', y.table_schema, y.table_name) from core.record_type y where y.name = r.target),
          r.target
        ) as meant
      from unnest(\(named.references.tables), \(named.references.columns), \(named.targets)) r (name, attname, target)
      """
    let key: SQL = """
      select r.name, r.attname, r.target, r.meant, k.confrelid,
        k.confrelid = to_regclass(r.meant) and exists (
          select from unnest(k.conkey, k.confkey) c (here, there)
          join pg_attribute p on p.attrelid = k.confrelid and p.attnum = c.there
          where c.here = a.attnum
            and p.attname = case when r.target = 'core.membership' then 'user_id' else 'id' end
        ) as is_meant
      from (\(target)) r
      join pg_attribute a on a.attrelid = to_regclass(r.name) and a.attname = r.attname and not a.attisdropped
      join pg_constraint k on k.conrelid = a.attrelid and k.contype = 'f' and a.attnum = any (k.conkey)
      """
    return [
      TableRule(
        .missingForeignKey,
        """
        select r.name, format('has no foreign key over %s, which points to %s', r.attname, r.target)
        from (\(target)) r
        join pg_attribute a on a.attrelid = to_regclass(r.name) and a.attname = r.attname and not a.attisdropped
        where not exists (
          select from pg_constraint k
          where k.conrelid = a.attrelid and k.contype = 'f' and a.attnum = any (k.conkey)
        )
        """,
        hint: "write `foreign key (company_id, x_id) references app.table (company_id, id)`"
      ),
      TableRule(
        .foreignKeyElsewhere,
        """
        select distinct k.name, format('has a foreign key over %s to %s, and the manifest says %s', k.attname,
          k.confrelid::regclass, k.target)
        from (\(key)) k
        where not exists (
          select from (\(key)) o where o.name = k.name and o.attname = k.attname and o.is_meant
        )
        """,
        hint: "let the foreign key and the reference in the manifest name the same type"
      ),
      TableRule(
        .undeclaredReference,
        """
        select t.name, format('has the foreign key %s to %s, which no reference of the manifest names', k.conname,
          k.confrelid::regclass)
        from (\(tables(subject))) t
        join pg_constraint k on k.conrelid = t.oid and k.contype = 'f'
        where t.name = any (\(subject.recordTables))
          and (
            k.confrelid in (select to_regclass(o.name) from unnest(\(named.tables)) o (name))
            or k.confrelid in (
              select to_regclass(format('%I.%I', y.table_schema, y.table_name)) from core.record_type y)
          )
          and not exists (
            select from unnest(\(named.references.tables), \(named.references.columns)) n (name, attname)
            join pg_attribute a on a.attrelid = t.oid and a.attname = n.attname
            where n.name = t.name and a.attnum = any (k.conkey)
          )
        """,
        hint:
          "list the column under references; on_delete says what deleting the other record does"
      ),
      TableRule(
        .uncommented,
        """
        select format('%s.%s', n.nspname, c.relname), 'has no comment'
        from pg_class c
        join pg_namespace n on n.oid = c.relnamespace
        where c.relkind in ('r', 'p', 'v') and not c.relispartition
          and (n.nspname = \(subject.schema) or n.nspname = 'report' and c.relname = any (\(subject.reportViews)))
          and coalesce(btrim(obj_description(c.oid, 'pg_class')), '') = ''
        order by 1
        """,
        hint: "write `comment on table … is '…'` or `comment on view … is '…'`: say what one row is"
      ),
    ]
  }
}
