-- Raises an error unless a view has exactly the columns that its file declares, in this order.
--
-- Types are written as PostgreSQL prints them, without length or precision.
create function core.check_columns(target regclass, declared text) returns void
  language plpgsql
  set search_path = ''
as $$
declare
  present text;
begin
  select string_agg(format('%s %s', a.attname, a.atttypid::regtype), ', ' order by a.attnum)
  into present
  from pg_catalog.pg_attribute a
  where a.attrelid = target
    and a.attnum > 0
    and not a.attisdropped;

  if present is distinct from declared then
    raise exception 'the header declares the columns %, but the view has %', declared, present;
  end if;
end
$$;
