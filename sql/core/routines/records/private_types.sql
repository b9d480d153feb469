-- Returns the record types whose records are private to their owners; null if there are none.
--
-- A SECURITY DEFINER function, because reporting logins cannot read core.record_type.
--
-- owner: fettle_auth
-- execute: fettle_app, fettle_worker, fettle_admin, fettle_report, fettle_report_company
create function core.private_types() returns text[]
  language sql stable parallel safe security definer
  set search_path = core, pg_temp
as $$
  select array_agg(t.name)
  from core.record_type t
  where t.owner_only
$$;
