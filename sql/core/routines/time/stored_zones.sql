-- Returns every time zone that the transaction's company has stored, and the table in which it is: of the company, of its
-- schedules, and of records of any type with a column timezone, private ones included. Tells neither records nor owners.
--
-- owner: fettle_auth
-- execute: fettle_admin
create function core.stored_zones() returns table (place text, zone text)
  language plpgsql stable security definer
  set search_path = core, pg_temp
as $$
declare
  company constant uuid := core.current_company();
  place_of record;
begin
  return query
    select 'company', c.timezone from core.company c where c.id = company
    union
    select 'schedule ' || s.name, s.timezone
    from core.schedule s
    where s.company_id = company
      and s.timezone is not null;
  for place_of in
    select t.name, t.table_schema, t.table_name
    from core.record_type t
    join pg_catalog.pg_namespace n on n.nspname = t.table_schema
    join pg_catalog.pg_class c on c.relnamespace = n.oid and c.relname = t.table_name
    join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attname = 'timezone' and not a.attisdropped
    order by t.name
  loop
    return query execute format(
      'select distinct %L::text, t.timezone::text from %I.%I t where t.company_id = $1 and t.timezone is not null',
      place_of.name, place_of.table_schema, place_of.table_name)
      using company;
  end loop;
end
$$;
