-- Counts the rows of a company, and their bytes, in every table with rows of companies.
--
-- execute: fettle_backup
create function core.company_census(p_company uuid) returns table (place text, found bigint, bytes bigint)
  language plpgsql stable
  set search_path = ''
as $$
declare
  target record;
begin
  for target in select t.place from core.company_tables() t order by t.place::text loop
    return query execute format(
      'select %L::text, count(*), coalesce(sum(pg_column_size(t.*)), 0)::bigint from %s t where t.company_id = $1',
      target.place, target.place) using p_company;
  end loop;
end
$$;
