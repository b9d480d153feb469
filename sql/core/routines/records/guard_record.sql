-- Guards every record table: refuses writes outside a unit of work (FT001), a status that the workflow does
-- not allow (FT002), a changed identity or a lower version (FT003), and a hard delete (FT004).
--
-- The write mode is a setting, which every login can set, so a mode alone opens nothing: a record begins in a later status
-- only by a login that imports, which the server's is not; and a migration takes a record only where a workflow of
-- the type says, under migrate.
--
-- Most writes are decided by the third trigger argument, a cache of the allowed status changes, each as
-- core.status_step() returns it: every edge in force, and every initial status. Other writes read the
-- workflow's tables.
create function core.guard_record() returns trigger
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
            tg_argv[2], core.status_step(old.status, new.status, new.status_category)) > 0
        then
          return new;
        end if;
      end if;
    elsif tg_op = 'INSERT' then
      if tg_argv[1] = 'plain' then
        return new;
      end if;
      if pg_catalog.strpos(tg_argv[2], core.status_step(null, new.status, new.status_category)) > 0 then
        return new;
      end if;
    end if;
  end if;

  -- All other writes are forbidden or rare, such as an import with a later status or a move to another
  -- version.
  -- Nobody logs in as this role or becomes it: its functions erase what an operator has asked to erase.
  if current_user = 'fettle_eraser' and tg_op <> 'INSERT' then
    return case tg_op when 'DELETE' then old else new end;
  end if;

  if tg_op = 'DELETE' then
    raise exception 'records cannot be deleted; set deleted_at instead'
      using errcode = 'FT004', table = tg_table_name, schema = tg_table_schema;
  end if;

  if mode is null or mode not in ('engine', 'import', 'migrate') then
    raise exception 'only the engine may write records'
      using errcode = 'FT001', table = tg_table_name, schema = tg_table_schema,
        hint = 'use the fettle command, which sets fettle.write in its transactions';
  end if;

  if tg_op = 'INSERT' then
    if tg_argv[1] = 'workflow' then
      if not exists (
        select from core.workflow_state s
        where s.record_type = tg_argv[0]
          and s.status = new.status
          and s.category = new.status_category
          and (s.is_initial or mode <> 'engine' and current_user <> 'fettle_app')
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
    raise exception 'id, company and creation of a record cannot change, and its version cannot decrease'
      using errcode = 'FT003', table = tg_table_name, schema = tg_table_schema;
  end if;

  -- The tables of workflows are read only for another status: core.claim_records() runs as a role that may not read them.
  if tg_argv[1] = 'workflow' then
    if new.status = old.status and new.status_category = old.status_category then
      return new;
    end if;

    if new.status <> old.status
      and not exists (
        select from core.workflow_edge e
        where e.record_type = tg_argv[0]
          and e.from_status = old.status
          and e.to_status = new.status
      )
      and not (
        mode = 'migrate'
        and (
          pg_catalog.current_setting('is_superuser') = 'on'
          or exists (
            select from core.workflow_definition d
            where d.record_type = tg_argv[0]
              and d.body #>> array['migrate', old.status] = new.status
          )
        )
      )
    then
      raise exception 'no transition of % leads from % to %', tg_argv[0], old.status, new.status
        using errcode = 'FT002', table = tg_table_name, schema = tg_table_schema;
    end if;

    if not exists (
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
