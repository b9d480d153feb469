-- The one company whose reports this database login reads.
--
-- Of the login, never of a setting: there is nothing that a report's text could change.
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
