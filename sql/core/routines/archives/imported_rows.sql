-- Returns what an archive would have of a table of the company that this transaction imports.
--
-- owner: fettle_eraser
-- execute: fettle_admin
create function core.imported_rows(p_company uuid, p_place regclass) returns setof text
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
begin
  perform core.entered_import(p_company);
  return query select r.line from core.archive_rows(p_company, p_place) r (line);
end
$$;
