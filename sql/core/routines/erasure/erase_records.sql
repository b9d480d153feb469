-- Deletes records of a type with everything that is about them: dependent rows, comments, files, history. The company's
-- seals end, since they cover histories that are gone; the next night begins with a new one. Returns the number of rows.
--
-- execute: fettle_eraser
create function core.erase_records(p_company uuid, p_type text, p_place regclass, p_ids uuid[]) returns bigint
  language plpgsql
  set search_path = ''
as $$
declare
  child record;
  done bigint;
  total bigint := cardinality(p_ids);
begin
  for child in
    select k.conrelid::regclass as place, (
      select string_agg(format('c.%I = p.%I', here.attname, there.attname), ' and ')
      from unnest(k.conkey, k.confkey) x (here, there)
      join pg_catalog.pg_attribute here on here.attrelid = k.conrelid and here.attnum = x.here
      join pg_catalog.pg_attribute there on there.attrelid = k.confrelid and there.attnum = x.there
    ) as condition
    from pg_catalog.pg_constraint k
    where k.contype = 'f'
      and k.confrelid = p_place
      and k.conrelid <> p_place
      -- A record is erased itself, or holds back this one by its foreign key.
      and not exists (
        select from core.record_type r
        where pg_catalog.to_regclass(format('%I.%I', r.table_schema, r.table_name)) = k.conrelid
      )
  loop
    execute format(
      'delete from %s c using %s p where p.company_id = $1 and p.id = any ($2) and %s',
      child.place, p_place, child.condition) using p_company, p_ids;
  end loop;
  execute format('delete from %s t where t.company_id = $1 and t.id = any ($2)', p_place) using p_company, p_ids;
  for child in
    select t.place
    from core.company_tables() t
    where (
      select count(*) from pg_catalog.pg_attribute a
      where a.attrelid = t.place and a.attname in ('record_type', 'record_id') and not a.attisdropped
    ) = 2
    order by t.depth, t.place
  loop
    execute format(
      'delete from %s t where t.company_id = $1 and t.record_type = $2 and t.record_id = any ($3)', child.place)
    using p_company, p_type, p_ids;
    get diagnostics done = row_count;
    total := total + done;
  end loop;
  -- Jobs that they caused run, and find no record.
  for child in
    select t.place
    from core.company_tables() t
    where (
      select count(*) from pg_catalog.pg_attribute a
      where a.attrelid = t.place and a.attname in ('cause_type', 'cause_id') and not a.attisdropped
    ) = 2
  loop
    execute format(
      'update %s t set cause_type = null, cause_id = null '
      'where t.company_id = $1 and t.cause_type = $2 and t.cause_id = any ($3)', child.place)
    using p_company, p_type, p_ids;
  end loop;
  delete from core.history_seal s where s.company_id = p_company;
  return total;
end
$$;
