-- A way says which category it ends in, so that the guard of records asks one question a row and not two.

alter table core.workflow_edge add column to_category text;

update core.workflow_edge e
set to_category = s.category
from core.workflow_state s
where s.record_type = e.record_type
  and s.version = e.version
  and s.status = e.to_status;

comment on column core.workflow_edge.to_category is
  'Category of the status where it ends; null: the guard looks the status up.';

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
    -- One look for the way as it should be; whoever does not find it asks what is wrong.
    if new.status <> old.status and exists (
      select from core.workflow_edge e
      where e.record_type = tg_argv[0]
        and e.from_status = old.status
        and e.to_status = new.status
        and e.to_category = new.status_category
    ) then
      return new;
    end if;

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
