-- Returns a time zone that PostgreSQL knows: the given one, or UTC in its place. A stored zone can stop to be known when
-- the operating system's time zone database is upgraded, and one company's zone must not end the reports of all.
--
-- execute: fettle_app, fettle_worker, fettle_admin, fettle_report, fettle_report_company
create function core.known_zone(zone text) returns text
  language plpgsql stable
as $$
begin
  perform pg_catalog.timezone(zone, pg_catalog.now());
  return zone;
exception
  when invalid_parameter_value then
    return 'UTC';
end
$$;
