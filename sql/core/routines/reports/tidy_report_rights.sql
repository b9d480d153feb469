-- Revokes the reporting logins' rights on columns, and drops their policies on tables, that no report view
-- reads any more.
--
-- set: client_min_messages = warning
create function core.tidy_report_rights() returns void
  language plpgsql
  set search_path = ''
as $$
declare
  stray record;
begin
  for stray in
    select c.oid::regclass as name, string_agg(format('%I', a.attname), ', ' order by a.attnum) as columns
    from pg_catalog.pg_attribute a
    join pg_catalog.pg_class c on c.oid = a.attrelid
    where c.relkind in ('r', 'p')
      and exists (
        select from pg_catalog.aclexplode(a.attacl) x
        where x.grantee in ('fettle_report'::regrole, 'fettle_report_company'::regrole)
      )
      and not exists (
        select from pg_catalog.pg_class v
        join pg_catalog.pg_rewrite w on w.ev_class = v.oid
        join pg_catalog.pg_depend d
          on d.classid = 'pg_catalog.pg_rewrite'::regclass and d.objid = w.oid
          and d.refclassid = 'pg_catalog.pg_class'::regclass
        where v.relnamespace = 'report'::regnamespace
          and d.refobjid = a.attrelid
          and d.refobjsubid = a.attnum
      )
    group by c.oid
    order by c.oid
  loop
    execute format(
      'revoke select (%s) on %s from fettle_report, fettle_report_company', stray.columns, stray.name);
  end loop;

  for stray in
    select p.polname as policy, p.polrelid::regclass as name
    from pg_catalog.pg_policy p
    where p.polname in ('report', 'report_company')
      and not exists (
        select from pg_catalog.pg_class v
        join pg_catalog.pg_rewrite w on w.ev_class = v.oid
        join pg_catalog.pg_depend d
          on d.classid = 'pg_catalog.pg_rewrite'::regclass and d.objid = w.oid
          and d.refclassid = 'pg_catalog.pg_class'::regclass and d.refobjid = p.polrelid
        where v.relnamespace = 'report'::regnamespace
      )
    order by 2, 1
  loop
    execute format('drop policy %I on %s', stray.policy, stray.name);
  end loop;
end
$$;
