-- Returns null where no company is entered, and tells a person in psql or another interactive program how to enter one.
--
-- Row-level security shows no rows then, which a person would take for an empty table. Fettle's own programs rely on the
-- null.
--
-- execute: fettle_app, fettle_worker, fettle_admin, fettle_auth, fettle_eraser
create function core.no_company() returns uuid
  language plpgsql stable parallel safe
as $$
begin
  if pg_catalog.current_setting('application_name') ~* '^(psql|pgcli|pgadmin|dbeaver|datagrip|tableplus|postgresql jdbc)'
  then
    raise exception 'no company is entered, so that row-level security shows no rows'
      using errcode = 'insufficient_privilege',
        hint = 'Enter one: select set_config(''fettle.company_id'', id::text, false) from core.company_by_slug(''SLUG'')'
          ' — or connect as fettle_report, which reads the views of the schema report for all companies.';
  end if;
  return null;
end
$$;
