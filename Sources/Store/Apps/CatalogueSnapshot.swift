package import Postgres

/// All objects of a database that do not belong to one app, each with a digest of its definition.
///
/// Snapshots are taken before and after the app's SQL runs: all differences were caused by it. The grants and
/// policies that a report view of the app requires on tables belong to the app, even on the tables of others.
package struct CatalogueSnapshot: Sendable {
  /// Digest of each object's state, by the object's name.
  let objects: [String: String]
  /// The names of the grants and policies that a report view of the app requires.
  let ofReports: Set<String>

  /// - Parameter reportViews: the app's views in the schema `report`, without the schema.
  package static func take(schema: String, reportViews: [String], _ tx: Transaction) throws
    -> CatalogueSnapshot
  {
    let rows = try tx.rows(query(schema, reportViews), String.self, String.self, Bool.self)
    return CatalogueSnapshot(
      objects: Dictionary(rows.map { ($0.0, $0.1) }, uniquingKeysWith: { $0 + $1 }),
      ofReports: Set(rows.filter(\.2).map(\.0))
    )
  }

  /// Returns the sorted names of the objects that differ between two snapshots, without those that a report
  /// view requires.
  package func differences(to later: CatalogueSnapshot) -> [String] {
    let changed = objects.filter { later.objects[$0.key] != $0.value && !later.ofReports.contains($0.key) }
    let added = later.objects.keys.filter { objects[$0] == nil && !later.ofReports.contains($0) }
    return (changed.map(\.key) + added).sorted()
  }

  private static func query(_ schema: String, _ views: [String]) -> SQL {
    """
    with place as (
      select n.oid, n.nspname from pg_namespace n
      where n.nspname not in (\(schema), 'pg_catalog', 'information_schema') and n.nspname !~ '^pg_(toast|temp)'
    ),
    relation as (
      select c.* from pg_class c join place p on p.oid = c.relnamespace
      where not (p.nspname = 'report' and c.relname = any (\(views)))
    ),
    reporter as (
      select r.oid from pg_roles r where r.rolname in ('fettle_report', 'fettle_report_company')
    ),
    reads as (
      select d.refobjid as relation, d.refobjsubid as number
      from pg_class v
      join pg_rewrite w on w.ev_class = v.oid
      join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = w.oid
        and d.refclassid = 'pg_class'::regclass and d.refobjsubid > 0
      where v.relnamespace = 'report'::regnamespace and v.relname = any (\(views))
    ),
    thing (name, state, of_report) as (
      select format('schema %s', n.nspname),
        concat_ws('|', n.nspowner, n.nspacl, obj_description(n.oid, 'pg_namespace')), false
      from pg_namespace n where n.nspname <> \(schema)
      union all
      select format('relation %s', r.oid::regclass),
        concat_ws('|', r.oid, r.relkind, r.relowner, r.relacl, r.reloptions, r.relrowsecurity, r.relforcerowsecurity,
          r.relhassubclass, r.relpersistence, r.relreplident, r.relfilenode, r.reltablespace,
          obj_description(r.oid, 'pg_class')), false
      from relation r
      union all
      select format('column %s.%s', r.oid::regclass, a.attname),
        concat_ws('|', a.attnum, a.atttypid, a.atttypmod, a.attnotnull, a.attidentity, a.attgenerated, a.attisdropped,
          a.attcollation, a.attstattarget, a.attstorage, a.attoptions, pg_get_expr(d.adbin, d.adrelid),
          col_description(r.oid, a.attnum),
          (select string_agg(x::text, ',' order by x::text) from aclexplode(a.attacl) x
           where x.grantee not in (select p.oid from reporter p))), false
      from relation r
      join pg_attribute a on a.attrelid = r.oid and a.attnum > 0
      left join pg_attrdef d on d.adrelid = r.oid and d.adnum = a.attnum
      where r.relkind not in ('i', 'I')
      union all
      select format('%s on column %s.%s for %s', x.privilege_type, r.oid::regclass, a.attname, x.grantee::regrole),
        x.is_grantable::text,
        x.privilege_type = 'SELECT' and not x.is_grantable
          and exists (select from reads s where s.relation = r.oid and s.number = a.attnum)
      from relation r
      join pg_attribute a on a.attrelid = r.oid and a.attnum > 0
      cross join lateral aclexplode(a.attacl) x
      where x.grantee in (select p.oid from reporter p)
      union all
      select format('constraint %s on %s', k.conname, coalesce(r.oid::regclass::text, k.contypid::regtype::text)),
        concat_ws('|', k.oid, pg_get_constraintdef(k.oid), k.convalidated), false
      from pg_constraint k
      join place p on p.oid = k.connamespace
      left join relation r on r.oid = k.conrelid
      where k.conrelid = 0 or r.oid is not null
      union all
      select format('index %s', i.indexrelid::regclass),
        concat_ws('|', pg_get_indexdef(i.indexrelid), i.indisvalid, i.indisunique, i.indisreplident), false
      from pg_index i join relation r on r.oid = i.indrelid
      union all
      select format('trigger %s on %s', t.tgname, r.oid::regclass),
        concat_ws('|', t.oid, t.tgenabled, case when not t.tgisinternal then pg_get_triggerdef(t.oid) end), false
      from pg_trigger t
      join relation r on r.oid = t.tgrelid
      left join pg_constraint k on k.oid = t.tgconstraint
      where not t.tgisinternal or k.conrelid in (select o.oid from relation o)
      union all
      select format('policy %s on %s', p.polname, r.oid::regclass),
        concat_ws('|', p.polcmd, p.polpermissive, p.polroles, pg_get_expr(p.polqual, p.polrelid),
          pg_get_expr(p.polwithcheck, p.polrelid)),
        p.polcmd = 'r' and p.polpermissive
          and exists (select from reads s where s.relation = r.oid)
          and (
            p.polname = 'report' and p.polroles = array['fettle_report'::regrole::oid]
              and pg_get_expr(p.polqual, p.polrelid) = 'true'
            or p.polname = 'report_company' and p.polroles = array['fettle_report_company'::regrole::oid]
              and pg_get_expr(p.polqual, p.polrelid)
                ~ '^\\((id|company_id) = \\( SELECT core\\.report_company\\(\\) AS report_company\\)\\)$'
          )
      from pg_policy p join relation r on r.oid = p.polrelid
      union all
      select format('rule %s on %s', w.rulename, r.oid::regclass),
        concat_ws('|', w.ev_enabled, pg_get_ruledef(w.oid)), false
      from pg_rewrite w join relation r on r.oid = w.ev_class
      union all
      select format('function %s', f.oid::regprocedure),
        concat_ws('|', f.oid, f.proowner, f.prosrc, f.probin, pg_get_function_sqlbody(f.oid), f.proconfig, f.proacl,
          f.prosecdef, f.proleakproof, f.provolatile, f.prorettype, f.prolang, obj_description(f.oid, 'pg_proc')), false
      from pg_proc f join place p on p.oid = f.pronamespace
      union all
      select format('type %s', t.oid::regtype),
        concat_ws('|', t.oid, t.typowner, t.typacl, t.typbasetype, t.typnotnull, t.typdefault,
          (select string_agg(e.enumlabel, ',' order by e.enumsortorder) from pg_enum e where e.enumtypid = t.oid)), false
      from pg_type t join place p on p.oid = t.typnamespace
      where t.typrelid = 0 and t.typcategory <> 'A'
      union all
      select format('operator %s', o.oid::regoperator), concat_ws('|', o.oid, o.oprowner), false
      from pg_operator o join place p on p.oid = o.oprnamespace
      union all
      select format('collation %s.%s', p.nspname, o.collname), o.oid::text, false
      from pg_collation o join place p on p.oid = o.collnamespace
      union all
      select format('text search %s.%s', p.nspname, o.cfgname), o.oid::text, false
      from pg_ts_config o join place p on p.oid = o.cfgnamespace
      union all
      select format('statistics %s.%s', p.nspname, o.stxname), concat_ws('|', o.oid, o.stxkeys, o.stxrelid), false
      from pg_statistic_ext o join place p on p.oid = o.stxnamespace
      union all
      select format('default rights of %s', o.defaclrole::regrole), concat_ws('|', o.defaclnamespace, o.defaclobjtype,
        o.defaclacl), false
      from pg_default_acl o
      union all
      select format('role %s', o.rolname), concat_ws('|', o.oid, o.rolsuper, o.rolinherit, o.rolcreaterole,
        o.rolcreatedb, o.rolcanlogin, o.rolreplication, o.rolbypassrls, o.rolconfig), false
      from pg_roles o where o.rolname ~ '^fettle_'
      union all
      select format('member %s of %s', o.member::regrole, o.roleid::regrole), o.admin_option::text, false
      from pg_auth_members o where o.roleid::regrole::text ~ '^fettle_' and o.member::regrole::text ~ '^fettle_'
      union all
      select format('database %s', o.datname), concat_ws('|', o.datdba, o.datacl), false
      from pg_database o where o.datname = current_database()
      union all
      select format('extension %s', o.extname), concat_ws('|', o.oid, o.extversion), false from pg_extension o
      union all
      select format('language %s', o.lanname), concat_ws('|', o.oid, o.lanowner, o.lanacl), false from pg_language o
      union all
      select format('cast %s', o.oid), o.castfunc::text, false from pg_cast o where o.oid >= 16384
      union all
      select format('event trigger %s', o.evtname), o.oid::text, false from pg_event_trigger o
      union all
      select format('publication %s', o.pubname), o.oid::text, false from pg_publication o
      union all
      select format('large object %s', o.oid), o.lomowner::text, false from pg_largeobject_metadata o
    )
    select t.name, md5(t.state), t.of_report from thing t
    """
  }
}
