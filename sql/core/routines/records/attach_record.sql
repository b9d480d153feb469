-- Makes a table a record table: row-level security, grants and the guard; with owner_private, only the
-- creator of a row sees it.
--
-- set: client_min_messages = warning
create function core.attach_record(
  target regclass,
  record_type text,
  owner_private boolean default false
) returns void
  language plpgsql
  set search_path = ''
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

  -- core.claim_records(), which runs as fettle_auth, is the only way to change the owner of private rows.
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

  -- core.stored_zones() checks the stored time zones of all records.
  execute format('drop policy if exists zones on %s', target);
  if exists (
    select from pg_catalog.pg_attribute a
    where a.attrelid = target and a.attname = 'timezone' and not a.attisdropped
  ) then
    if not owner_private then
      execute format(
        'create policy zones on %s for select to fettle_auth using (company_id = (select core.current_company()))',
        target);
    end if;
    execute format(
      'grant usage on schema %I to fettle_auth',
      (select relnamespace::regnamespace::text from pg_catalog.pg_class where oid = target));
    execute format('grant select (company_id, timezone) on %s to fettle_auth', target);
  end if;

  perform core.attach_guard(target, record_type);

  execute format(
    'grant usage on schema %I to fettle_app, fettle_worker, fettle_admin',
    (select relnamespace::regnamespace::text from pg_catalog.pg_class where oid = target));
  execute format('grant select, insert on %s to fettle_app, fettle_worker, fettle_admin', target);
  -- By column: the right to update a whole table is also the right to lock it against everyone.
  execute format('revoke update on %s from fettle_app, fettle_worker, fettle_admin', target);
  execute format(
    'grant update (%s) on %s to fettle_app, fettle_worker, fettle_admin',
    (
      select string_agg(format('%I', a.attname), ', ' order by a.attnum)
      from pg_catalog.pg_attribute a
      where a.attrelid = target
        and a.attnum > 0
        and not a.attisdropped
        and a.attgenerated = ''
        and a.attname not in ('company_id', 'id', 'created_at', 'created_by')
    ),
    target);

  -- The SQL of other apps may refer to the record, and fettle_author runs that SQL.
  execute format(
    'grant usage on schema %I to fettle_author',
    (select relnamespace::regnamespace::text from pg_catalog.pg_class where oid = target));
  execute format('grant references on %s to fettle_author', target);
end
$$;
