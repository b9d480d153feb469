-- Returns the rows of a company in a table as lines of JSON, in the order of its primary key, with the columns that
-- core.archive_tables() keeps.
--
-- JSON has one null, and a column of JSON has two: {"$json": null} is the one that is a value.
--
-- set: timezone = utc, datestyle = iso, intervalstyle = postgres, bytea_output = hex
-- execute: fettle_eraser, fettle_backup
create function core.archive_rows(p_company uuid, p_place regclass) returns setof text
  language plpgsql stable
  set search_path = ''
as $$
declare
  statement text;
begin
  select format(
    'select row_to_json(x)::text from (select %s from %s t where t.company_id = $1 order by %s) x',
    string_agg(
      format(
        case when a.atttypid = 'jsonb'::regtype
          then 'case when jsonb_typeof(t.%1$I) = ''null'' then jsonb_build_object(''$json'', null) else t.%1$I end as %1$I'
          else 't.%1$I'
        end, a.attname),
      ', ' order by a.attnum),
    p_place,
    coalesce(
      (
        select string_agg(format('t.%I', b.attname), ', ' order by k.no)
        from pg_catalog.pg_index i
        cross join lateral unnest(i.indkey::smallint[]) with ordinality k (attnum, no)
        join pg_catalog.pg_attribute b on b.attrelid = i.indrelid and b.attnum = k.attnum
        where i.indrelid = p_place and i.indisprimary
      ), 't.*'))
  into statement
  from core.archive_tables(p_place) c
  join pg_catalog.pg_attribute a on a.attrelid = c.place and a.attname = any (c.kept)
  where c.place = p_place and c.reason is null
  having count(*) > 0;
  if statement is null then
    raise exception 'the rows of % are in no archive', p_place using errcode = 'insufficient_privilege';
  end if;
  return query execute statement using p_company;
end
$$;
