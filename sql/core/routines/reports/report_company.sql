-- Returns the company whose reports this database login may read; null if no company is assigned.
--
-- The login decides, not a setting: a query could change a setting.
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
