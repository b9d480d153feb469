-- Counts the rows of a company in a table with rows of companies.
--
-- execute: fettle_backup
create function core.company_count(p_company uuid, p_place regclass) returns bigint
  language plpgsql stable
  set search_path = ''
as $$
declare
  found_rows bigint;
begin
  execute format('select count(*) from %s t where t.company_id = $1', p_place) into found_rows using p_company;
  return found_rows;
end
$$;
