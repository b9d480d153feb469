-- Counts the rows that contain one of the texts, in any letter case, in every table of the database. Bytes are searched
-- too, as text and, for an id, in their binary form. The row that is left of an erased company does not count.
--
-- execute: fettle_backup
create function core.text_census(p_texts text[]) returns table (place text, found bigint)
  language plpgsql stable
  set search_path = ''
as $$
declare
  target record;
  needles text[];
begin
  select array_agg(distinct n) into needles
  from unnest(p_texts) t (text)
  cross join lateral unnest(array[
    lower(t.text),
    encode(convert_to(t.text, 'utf8'), 'hex'),
    case when t.text ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then replace(t.text, '-', '') end
  ]) n
  where n <> '';
  for target in
    select c.oid::regclass as place
    from pg_catalog.pg_class c
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r'
      and n.nspname <> 'information_schema'
      and n.nspname !~ '^pg_'
    order by 1
  loop
    return query execute format(
      'select %L::text, count(*) from %s t '
      'where exists (select from unnest($1) n where strpos(lower(t::text), n) > 0)%s',
      target.place, target.place,
      case when target.place = 'core.company'::regclass then ' and t.status <> ''erased''' end) using needles;
  end loop;
end
$$;
