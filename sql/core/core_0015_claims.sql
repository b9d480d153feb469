-- Private rows that change hands: what somebody made as a visitor becomes theirs when they sign in.
--
-- A private row is seen and written by its owner alone, so neither of the two could move it: the one loses it, the
-- other does not have it yet. A door does, and nothing else can: the guard lets a row's maker be changed by
-- fettle_auth only, and no login becomes that.

create or replace function core.guard_record() returns trigger
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

-- Parents and children refer to each other by their owner too, so all of them move in one statement.
create function core.claim_records(
  p_company_id uuid,
  p_from uuid,
  p_to uuid,
  p_types text[],
  p_ids uuid[],
  p_seqs bigint[],
  p_hashes bytea[]
) returns bigint
  language plpgsql volatile security definer
  set search_path = core, pg_temp
as $$
declare
  statement text;
  moved bigint;
begin
  select format(
      'with m as (select * from unnest($1, $2, $3, $4) x (record_type, id, seq, hash)), %s select %s',
      string_agg(
        format(
          't%s as (update %I.%I t set created_by = $5, version = t.version + 1, updated_by = $5, updated_at = now(), '
          'history_seq = m.seq, history_hash = m.hash from m '
          'where m.record_type = %L and t.company_id = $6 and t.id = m.id and t.created_by = $7 returning 1)',
          r.number, r.table_schema, r.table_name, r.name),
        ', '),
      string_agg(format('(select count(*) from t%s)', r.number), ' + '))
  into statement
  from (
    select t.name, t.table_schema, t.table_name, row_number() over (order by t.name) as number
    from core.record_type t
    where t.name = any (p_types)
      and t.definition ->> 'scope' = 'owner'
  ) r;

  if statement is null then
    return 0;
  end if;
  execute statement into moved using p_types, p_ids, p_seqs, p_hashes, p_to, p_company_id, p_from;
  return moved;
end
$$;

comment on function core.claim_records(uuid, uuid, uuid, text[], uuid[], bigint[], bytea[]) is
  'Makes the named private records of one member of the transaction''s company another''s, each with the head of '
  'its history, and returns how many there were.';

revoke execute on function core.claim_records(uuid, uuid, uuid, text[], uuid[], bigint[], bytea[]) from public;
grant execute on function core.claim_records(uuid, uuid, uuid, text[], uuid[], bigint[], bytea[])
  to fettle_app, fettle_admin;
grant select (name, table_schema, table_name, definition) on core.record_type to fettle_auth;

-- Last, because an owner of fettle_auth's functions is not fettle_owner any more.
grant create on schema core to fettle_auth;
alter function core.claim_records(uuid, uuid, uuid, text[], uuid[], bigint[], bytea[]) owner to fettle_auth;
revoke create on schema core from fettle_auth;
