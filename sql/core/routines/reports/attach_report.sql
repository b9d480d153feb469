-- Opens a report view to the reporting logins: fettle_report sees all companies, a login of
-- fettle_report_company its own.
--
-- Grants only the columns of base tables that the view reads. The logins never see rows of private tables,
-- and see only the users of companies they may read. A policy that already has the desired text is kept,
-- because replacing it locks the table.
--
-- set: client_min_messages = warning
create function core.attach_report(target regclass) returns void
  language plpgsql
  set search_path = ''
as $$
declare
  base record;
  wanted record;
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
      -- Only some rows of such a table are private; a policy of its own hides these from reports.
      exists (select from pg_catalog.pg_policy p where p.polrelid = t.oid and p.polname = 'owner_private')
        and not exists (
          select from pg_catalog.pg_policy p where p.polrelid = t.oid and p.polname = 'reports_private'
        ) as is_private
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
    for wanted in
      select x.name, x.role, x.rows
      from (values
        ('report', 'fettle_report', case when base.is_private then 'false' else 'true' end),
        ('report_company', 'fettle_report_company',
          case
            when base.is_private then 'false'
            when base.id = 'core.company'::regclass then
              '(id = ( SELECT core.report_company() AS report_company))'
            when base.id = 'core.app_user'::regclass then
              '(EXISTS ( SELECT FROM core.membership m WHERE ((m.company_id = '
              '( SELECT core.report_company() AS report_company)) AND (m.user_id = app_user.id))))'
            else '(company_id = ( SELECT core.report_company() AS report_company))'
          end)
      ) x (name, role, rows)
    loop
      -- In the format that PostgreSQL prints, so that the texts can be compared.
      continue when exists (
        select from pg_catalog.pg_policy p
        where p.polrelid = base.id
          and p.polname = wanted.name
          and p.polpermissive
          and p.polcmd = 'r'
          and p.polroles = array[wanted.role::regrole::oid]
          and regexp_replace(pg_catalog.pg_get_expr(p.polqual, p.polrelid), '\s+', ' ', 'g') = wanted.rows
      );
      execute format('drop policy if exists %I on %s', wanted.name, base.name);
      execute format(
        'create policy %I on %s for select to %I using (%s)', wanted.name, base.name, wanted.role, wanted.rows);
    end loop;
  end loop;

  execute format(
    'grant select on %s to fettle_report, fettle_report_company, fettle_app, fettle_worker, fettle_admin',
    target);
end
$$;
