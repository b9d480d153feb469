-- The one company whose reports this database login reads.
--
-- It depends on the login, never on a setting, which the text of a report could change.
--
-- owner: fettle_auth
-- execute: fettle_report_company
create function core.report_company() returns uuid
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  select l.company_id
  from core.report_login l
  where l.role_name = session_user
$$;
