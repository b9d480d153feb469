-- The guard knows the ways of its table by heart: what an update should be it sees without a query, which was two
-- thirds of its time. Whatever it does not find there it asks the catalogue, as before.

-- Ways are the guard's third argument: '|from>to:category|' of every edge of every version that is in force,
-- '|>status:category|' where a record may start.
create or replace function core.guard_record() returns trigger
  language plpgsql
as $$
declare
  mode constant text := pg_catalog.current_setting('fettle.write', true);
begin
  if mode in ('engine', 'import', 'migrate') and tg_nargs = 3 then
    if tg_op = 'UPDATE' then
      if new.id = old.id
        and new.company_id = old.company_id
        and new.created_at = old.created_at
        and new.created_by is not distinct from old.created_by
        and new.version >= old.version
        and new.history_seq >= old.history_seq
      then
        if tg_argv[1] = 'plain' then
          return new;
        end if;
        if new.status = old.status and new.status_category = old.status_category
          or pg_catalog.strpos(
            tg_argv[2], '|' || old.status || '>' || new.status || ':' || new.status_category || '|') > 0
        then
          return new;
        end if;
      end if;
    elsif tg_op = 'INSERT' then
      if tg_argv[1] = 'plain' then
        return new;
      end if;
      if pg_catalog.strpos(tg_argv[2], '|>' || new.status || ':' || new.status_category || '|') > 0 then
        return new;
      end if;
    end if;
  end if;

  -- What is left is forbidden, or rare: imported in the middle of a workflow, moved to another version.
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
    or new.created_by is distinct from old.created_by and current_user <> 'fettle_auth'
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

create function core.attach_guard(target regclass, p_record_type text) returns void
  language plpgsql
  set search_path = ''
as $$
declare
  mode text;
  ways text;
begin
  select case when count(*) = 2 then 'workflow' else 'plain' end into mode
  from pg_catalog.pg_attribute a
  where a.attrelid = target
    and a.attname in ('status', 'status_category')
    and not a.attisdropped;

  select coalesce('|' || string_agg(way, '|' order by way) || '|', '') into ways
  from (
    select e.from_status || '>' || e.to_status || ':' || s.category as way
    from core.workflow_edge e
    join core.workflow_state s
      on s.record_type = e.record_type and s.version = e.version and s.status = e.to_status
    where e.record_type = p_record_type
    union
    select '>' || s.status || ':' || s.category
    from core.workflow_state s
    where s.record_type = p_record_type and s.is_initial
  ) known;

  if not exists (
    select from pg_catalog.pg_trigger t
    where t.tgrelid = target
      and t.tgname = 'guard'
      and t.tgfoid = 'core.guard_record()'::regprocedure
      and t.tgtype = 31
      and t.tgenabled = 'O'
      and t.tgqual is null
      and pg_catalog.encode(t.tgargs, 'escape') = p_record_type || '\000' || mode || '\000' || ways || '\000'
  ) then
    execute format(
      'create or replace trigger guard before insert or update or delete on %s '
      'for each row execute function core.guard_record(%L, %L, %L)',
      target, p_record_type, mode, ways);
  end if;
end
$$;

comment on function core.attach_guard(regclass, text) is
  'Gives a record table the guard, with the ways of its workflow as they are now. Called whenever they change.';

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

  -- Private rows change hands through core.claim_records alone, which runs as fettle_auth.
  execute format('drop policy if exists claims on %s', target);
  if owner_private then
    execute format(
      'create policy claims on %s to fettle_auth '
      'using (company_id = (select core.current_company())) '
      'with check (company_id = (select core.current_company()))',
      target);
    execute format(
      'grant usage on schema %I to fettle_auth',
      (select relnamespace::regnamespace::text from pg_catalog.pg_class where oid = target));
    execute format(
      'grant select (company_id, id, version, created_by), '
      'update (created_by, version, updated_by, updated_at, history_seq, history_hash) on %s to fettle_auth',
      target);
  end if;

  perform core.attach_guard(target, record_type);

  execute format(
    'grant usage on schema %I to fettle_app, fettle_worker, fettle_admin',
    (select relnamespace::regnamespace::text from pg_catalog.pg_class where oid = target));
  execute format('grant select, insert, update on %s to fettle_app, fettle_worker, fettle_admin', target);
end
$$;

revoke execute on function core.attach_guard(regclass, text) from public;

-- The tables of the apps that are installed already.
select core.attach_guard(format('%I.%I', t.table_schema, t.table_name)::regclass, t.name)
from core.record_type t;
