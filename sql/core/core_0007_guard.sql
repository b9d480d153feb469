-- What holds for every record, whoever connects, and the calls by which an app's tables and views get it.

-- The guard runs for every row of a bulk import: it asks one setting and at most two small reference tables,
-- and has no SET clause, which would cost more than its whole body. Every name in it is qualified.
-- First argument: the record type. Second: 'workflow' if it has a status, otherwise 'plain'; new.status is
-- named only in blocks that a plain type never enters, where it would not exist.
create function core.guard_record() returns trigger
  language plpgsql
as $$
declare
  mode constant text := pg_catalog.current_setting('fettle.write', true);
begin
  if tg_op = 'DELETE' then
    raise exception 'a record is deleted by setting deleted_at'
      using errcode = 'FT004', table = tg_table_name, schema = tg_table_schema;
  end if;

  if mode is null or mode not in ('engine', 'import', 'migrate') then
    raise exception 'records are written by the engine only'
      using errcode = 'FT001', table = tg_table_name, schema = tg_table_schema,
        hint = 'Use the fettle command. It sets fettle.write in its own transactions.';
  end if;

  if tg_op = 'INSERT' then
    if tg_argv[1] = 'workflow' then
      if not exists (
        select from core.workflow_state s
        where s.record_type = tg_argv[0]
          and s.status = new.status
          and s.category = new.status_category
          and (s.is_initial or mode <> 'engine')
      ) then
        raise exception 'a record of type % cannot start as % (%)',
          tg_argv[0], new.status, new.status_category
          using errcode = 'FT002', table = tg_table_name, schema = tg_table_schema;
      end if;
    end if;
    return new;
  end if;

  if new.id <> old.id
    or new.company_id <> old.company_id
    or new.created_at <> old.created_at
    or new.created_by is distinct from old.created_by
    or new.version < old.version
    or new.history_seq < old.history_seq
  then
    raise exception 'id, company and origin of a record never change, and its version never falls'
      using errcode = 'FT003', table = tg_table_name, schema = tg_table_schema;
  end if;

  if tg_argv[1] = 'workflow' then
    if new.status <> old.status and mode <> 'migrate' and not exists (
      select from core.workflow_edge e
      where e.record_type = tg_argv[0]
        and e.from_status = old.status
        and e.to_status = new.status
    ) then
      raise exception 'no transition of % leads from % to %', tg_argv[0], old.status, new.status
        using errcode = 'FT002', table = tg_table_name, schema = tg_table_schema;
    end if;

    if (new.status <> old.status or new.status_category <> old.status_category) and not exists (
      select from core.workflow_state s
      where s.record_type = tg_argv[0]
        and s.status = new.status
        and s.category = new.status_category
    ) then
      raise exception 'status % of % is not in category %', new.status, tg_argv[0], new.status_category
        using errcode = 'FT002', table = tg_table_name, schema = tg_table_schema;
    end if;
  end if;

  return new;
end
$$;

comment on function core.guard_record() is
  'Guard of every record table. Refuses writes from outside the unit of work (FT001), a status that the '
  'workflow does not allow (FT002), a changed identity (FT003) and a hard delete (FT004). Writes nothing.';

-- Attaching runs as the owner, from the installer, and may run again after every upgrade.
create function core.attach_record(
  target regclass,
  record_type text,
  owner_private boolean default false
) returns void
  language plpgsql
  set search_path = ''
  set client_min_messages = warning
as $$
declare
  has_status boolean;
begin
  perform core.attach_tenant_table(target);

  execute format('drop policy if exists owner_private on %s', target);
  if owner_private then
    execute format(
      'create policy owner_private on %s as restrictive to fettle_app, fettle_worker, fettle_admin '
      'using (created_by = (select core.current_user_id())) '
      'with check (created_by = (select core.current_user_id()))',
      target);
  end if;

  select count(*) = 2 into has_status
  from pg_catalog.pg_attribute a
  where a.attrelid = target
    and a.attname in ('status', 'status_category')
    and not a.attisdropped;

  execute format(
    'create or replace trigger guard before insert or update or delete on %s '
    'for each row execute function core.guard_record(%L, %L)',
    target, record_type, case when has_status then 'workflow' else 'plain' end);

  execute format(
    'grant usage on schema %I to fettle_app, fettle_worker, fettle_admin',
    (select relnamespace::regnamespace::text from pg_catalog.pg_class where oid = target));
  execute format('grant select, insert, update on %s to fettle_app, fettle_worker, fettle_admin', target);
end
$$;

comment on function core.attach_record(regclass, text, boolean) is
  'Makes a table a record table: row-level security, grants and the guard. owner_private: its rows are seen '
  'and written by the member who made them only.';

create function core.attach_view(target regclass) returns void
  language plpgsql
  set search_path = ''
  set client_min_messages = warning
as $$
declare
  uncommented record;
begin
  if not exists (
    select from pg_catalog.pg_class
    where oid = target and relkind = 'v' and 'security_invoker=true' = any (reloptions)
  ) then
    raise exception '% is not a view with security_invoker = true', target;
  end if;

  execute format(
    'grant usage on schema %I to fettle_app, fettle_worker, fettle_admin',
    (select relnamespace::regnamespace::text from pg_catalog.pg_class where oid = target));
  execute format('grant select on %s to fettle_app, fettle_worker, fettle_admin', target);

  -- A column that a table hands through keeps the table's words; if two tables have a column of the name,
  -- the one of which the view reads more.
  for uncommented in
    with source as (
      select d.refobjid as relation, d.refobjsubid as number, count(*) over (partition by d.refobjid) as read
      from pg_catalog.pg_rewrite w
      join pg_catalog.pg_depend d
        on d.classid = 'pg_catalog.pg_rewrite'::regclass and d.objid = w.oid
        and d.refclassid = 'pg_catalog.pg_class'::regclass and d.refobjid <> target and d.refobjsubid > 0
      where w.ev_class = target
    )
    select distinct on (v.attnum) v.attname as name, words.comment
    from pg_catalog.pg_attribute v
    join pg_catalog.pg_attribute t on t.attname = v.attname
    join source s on s.relation = t.attrelid and s.number = t.attnum
    cross join lateral pg_catalog.col_description(t.attrelid, t.attnum) as words (comment)
    where v.attrelid = target
      and v.attnum > 0
      and words.comment is not null
      and pg_catalog.col_description(v.attrelid, v.attnum) is null
    order by v.attnum, s.read desc, s.relation
  loop
    execute format('comment on column %s.%I is %L', target, uncommented.name, uncommented.comment);
  end loop;
end
$$;

comment on function core.attach_view(regclass) is
  'Lets the engine read an app''s view and gives its columns the comments of the tables they come from.';

revoke execute on all functions in schema core from public;
