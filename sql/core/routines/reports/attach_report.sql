-- Opens a report view to the reporting logins: all companies to fettle_report, its own to a login of
-- fettle_report_company.
--
-- Grants only the columns of base tables that the view reads.
--
-- set: client_min_messages = warning
create function core.attach_report(target regclass) returns void
  language plpgsql
  set search_path = ''
as $$
declare
  base record;
begin
  if not exists (
    select from pg_catalog.pg_class
    where oid = target and relkind = 'v' and 'security_invoker=true' = any (reloptions)
  ) then
    raise exception '% is not a view with security_invoker = true', target;
  end if;

  for base in
    select t.oid as id, t.oid::regclass as name, t.relkind as kind, t.relrowsecurity as is_protected,
      string_agg(format('%I', a.attname), ', ' order by a.attnum) as columns,
      case when t.oid = 'core.company'::regclass then 'id' else 'company_id' end as company
    from pg_catalog.pg_rewrite w
    join pg_catalog.pg_depend d
      on d.classid = 'pg_catalog.pg_rewrite'::regclass and d.objid = w.oid
      and d.refclassid = 'pg_catalog.pg_class'::regclass and d.refobjid <> target
    join pg_catalog.pg_class t on t.oid = d.refobjid
    join pg_catalog.pg_attribute a on a.attrelid = t.oid and a.attnum = d.refobjsubid
    where w.ev_class = target
      and d.refobjsubid > 0
    group by t.oid
    order by t.oid
  loop
    if base.kind not in ('r', 'p') then
      raise exception 'report % reads %, which is not a table', target, base.name;
    end if;

    execute format(
      'grant select (%s) on %s to fettle_report, fettle_report_company', base.columns, base.name);
    continue when not base.is_protected;
    if not exists (
      select from pg_catalog.pg_policy p
      where p.polrelid = base.id
        and p.polname = 'report'
        and p.polpermissive
        and p.polcmd = 'r'
        and p.polroles = array['fettle_report'::regrole::oid]
        and pg_catalog.pg_get_expr(p.polqual, p.polrelid) = 'true'
    ) then
      execute format('drop policy if exists report on %s', base.name);
      execute format('create policy report on %s for select to fettle_report using (true)', base.name);
    end if;
    if not exists (
      select from pg_catalog.pg_policy p
      where p.polrelid = base.id
        and p.polname = 'report_company'
        and p.polpermissive
        and p.polcmd = 'r'
        and p.polroles = array['fettle_report_company'::regrole::oid]
        and pg_catalog.pg_get_expr(p.polqual, p.polrelid)
          = format('(%s = ( SELECT core.report_company() AS report_company))', base.company)
    ) then
      execute format('drop policy if exists report_company on %s', base.name);
      execute format(
        'create policy report_company on %s for select to fettle_report_company '
        'using (%I = (select core.report_company()))',
        base.name, base.company);
    end if;
  end loop;

  execute format(
    'grant select on %s to fettle_report, fettle_report_company, fettle_app, fettle_worker, fettle_admin',
    target);
end
$$;
