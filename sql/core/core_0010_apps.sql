-- Apps as they were installed, their reports, and calls that attach isolation only where it is missing: an
-- upgrade must not lock a table that people write just to say again what holds already.

alter table core.app add column manifest jsonb check (jsonb_typeof(manifest) = 'object');

comment on column core.app.manifest is
  'The manifest it was installed from, with its workflows in place; null: by a program that kept none.';

create table core.report (
  name       text   primary key check (name ~ '^[a-z][a-z0-9_]{0,62}$'),
  app        text   not null references core.app (name),
  title      text   not null check (btrim(title) <> ''),
  view_name  text   not null unique,
  sort_order text[] not null default '{}'
);

create index on core.report (app);

comment on table  core.report is 'Reports of the installed apps. Global.';
comment on column core.report.name is 'What commands call it.';
comment on column core.report.app is 'The app that brought it.';
comment on column core.report.title is 'What it tells, in a line.';
comment on column core.report.view_name is 'Its view in the schema report.';
comment on column core.report.sort_order is 'Columns that sort it, those with a minus the largest first.';

grant select on core.report to fettle_app, fettle_worker, fettle_admin;

-- The list of the reports is a report too, so that the reporting logins can ask for it.
create view report.v1_report with (security_invoker = true) as
select
  r.name,
  r.app,
  r.title,
  r.view_name,
  r.sort_order
from core.report r;

comment on view report.v1_report is 'The reports there are; of no company.';
comment on column report.v1_report.name is 'What commands call it.';
comment on column report.v1_report.app is 'The app that brought it.';
comment on column report.v1_report.title is 'What it tells, in a line.';
comment on column report.v1_report.view_name is 'Its view in the schema report.';
comment on column report.v1_report.sort_order is
  'Columns that sort it, those with a minus the largest first.';

create or replace function core.attach_tenant_table(target regclass) returns void
  language plpgsql
  set search_path = ''
  set client_min_messages = warning
as $$
begin
  if exists (
    select from pg_catalog.pg_class c
    join pg_catalog.pg_policy p on p.polrelid = c.oid
    where c.oid = target
      and c.relrowsecurity
      and c.relforcerowsecurity
      and p.polname = 'tenant'
      and p.polpermissive
      and p.polcmd = '*'
      and p.polroles @> array['fettle_app', 'fettle_worker', 'fettle_admin']::regrole[]::oid[]
      and pg_catalog.cardinality(p.polroles) = 3
      and pg_catalog.pg_get_expr(p.polqual, p.polrelid)
        = '(company_id = ( SELECT core.current_company() AS current_company))'
      and pg_catalog.pg_get_expr(p.polwithcheck, p.polrelid)
        = '(company_id = ( SELECT core.current_company() AS current_company))'
  ) then
    return;
  end if;

  execute format('alter table %s enable row level security', target);
  execute format('alter table %s force row level security', target);
  execute format('drop policy if exists tenant on %s', target);
  execute format(
    'create policy tenant on %s to fettle_app, fettle_worker, fettle_admin '
    'using (company_id = (select core.current_company())) '
    'with check (company_id = (select core.current_company()))',
    target);
end
$$;

create or replace function core.attach_record(
  target regclass,
  record_type text,
  owner_private boolean default false
) returns void
  language plpgsql
  set search_path = ''
  set client_min_messages = warning
as $$
declare
  mode text;
  is_private boolean;
begin
  perform core.attach_tenant_table(target);

  select exists (
    select from pg_catalog.pg_policy p
    where p.polrelid = target
      and p.polname = 'owner_private'
      and not p.polpermissive
      and p.polcmd = '*'
      and p.polroles @> array['fettle_app', 'fettle_worker', 'fettle_admin']::regrole[]::oid[]
      and pg_catalog.pg_get_expr(p.polqual, p.polrelid)
        = '(created_by = ( SELECT core.current_user_id() AS current_user_id))'
      and pg_catalog.pg_get_expr(p.polwithcheck, p.polrelid)
        = '(created_by = ( SELECT core.current_user_id() AS current_user_id))'
  ) into is_private;

  if owner_private <> is_private then
    execute format('drop policy if exists owner_private on %s', target);
    if owner_private then
      execute format(
        'create policy owner_private on %s as restrictive to fettle_app, fettle_worker, fettle_admin '
        'using (created_by = (select core.current_user_id())) '
        'with check (created_by = (select core.current_user_id()))',
        target);
    end if;
  end if;

  select case when count(*) = 2 then 'workflow' else 'plain' end into mode
  from pg_catalog.pg_attribute a
  where a.attrelid = target
    and a.attname in ('status', 'status_category')
    and not a.attisdropped;

  if not exists (
    select from pg_catalog.pg_trigger t
    where t.tgrelid = target
      and t.tgname = 'guard'
      and t.tgfoid = 'core.guard_record()'::regprocedure
      and t.tgtype = 31
      and t.tgenabled = 'O'
      and t.tgqual is null
      and pg_catalog.encode(t.tgargs, 'escape') = record_type || '\000' || mode || '\000'
  ) then
    execute format(
      'create or replace trigger guard before insert or update or delete on %s '
      'for each row execute function core.guard_record(%L, %L)',
      target, record_type, mode);
  end if;

  execute format(
    'grant usage on schema %I to fettle_app, fettle_worker, fettle_admin',
    (select relnamespace::regnamespace::text from pg_catalog.pg_class where oid = target));
  execute format('grant select, insert, update on %s to fettle_app, fettle_worker, fettle_admin', target);
end
$$;

create or replace function core.attach_report(target regclass) returns void
  language plpgsql
  set search_path = ''
  set client_min_messages = warning
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

create function core.tidy_report_rights() returns void
  language plpgsql
  set search_path = ''
  set client_min_messages = warning
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

comment on function core.tidy_report_rights() is
  'Takes back from the reporting logins what no report view reads any more: columns and policies.';

revoke execute on function core.tidy_report_rights() from public;

select core.attach_report('report.v1_report');
