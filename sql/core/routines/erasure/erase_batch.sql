-- Deletes rows of the company that is being erased, up to about p_limit, children first, and returns how many of which
-- table. Returns nothing when none is left. May be repeated after any interruption.
--
-- A table that refers to itself loses the rows first that no other one needs; if there are none, all of its rows at once.
-- So do tables in a circle of foreign keys, which are checked at the end of a statement.
--
-- owner: fettle_eraser
-- execute: fettle_admin, fettle_worker
create function core.erase_batch(p_erasure uuid, p_limit bigint) returns table (place text, erased bigint)
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
declare
  company uuid := core.entered_erasure(p_erasure);
  target record;
  done bigint;
  total bigint := 0;
  statement text;
begin
  for target in
    select t.place, t.depth, count(*) over () as tables, (
      select string_agg(
        format(
          ' and not exists (select from %s c where c.ctid <> t.ctid and %s)', t.place,
          (
            select string_agg(format('c.%I = t.%I', here.attname, there.attname), ' and ')
            from unnest(k.conkey, k.confkey) x (here, there)
            join pg_catalog.pg_attribute here on here.attrelid = t.place and here.attnum = x.here
            join pg_catalog.pg_attribute there on there.attrelid = t.place and there.attnum = x.there
          )),
        '')
      from pg_catalog.pg_constraint k
      where k.contype = 'f' and k.conrelid = t.place and k.confrelid = t.place
    ) as leaves
    from core.company_tables() t
    order by t.depth, t.place
  loop
    exit when target.depth >= target.tables;
    execute format(
      'delete from %s where company_id = $1 and ctid = any (array('
      'select t.ctid from %s t where t.company_id = $1%s limit $2))',
      target.place, target.place, target.leaves) using company, p_limit - total;
    get diagnostics done = row_count;
    if done = 0 and target.leaves is not null then
      execute format('delete from %s where company_id = $1', target.place) using company;
      get diagnostics done = row_count;
    end if;
    if done > 0 then
      place := target.place;
      erased := done;
      return next;
    end if;
    total := total + done;
    exit when total >= p_limit;
  end loop;

  if total = 0 then
    select format(
      'with %s select %s',
      string_agg(format('d%s as (delete from %s where company_id = $1 returning 1)', t.number, t.place), ', '),
      string_agg(format('(select count(*) from d%s)', t.number), ' + '))
    into statement
    from (
      select t.place, row_number() over (order by t.place) as number, t.depth, count(*) over () as tables
      from core.company_tables() t
    ) t
    where t.depth >= t.tables
    having count(*) > 0;
    if statement is not null then
      execute statement into total using company;
    end if;
    if total > 0 then
      place := 'tables in a circle';
      erased := total;
      return next;
    end if;
  end if;
  update core.erasure e set erased = e.erased + total where e.id = p_erasure;
end
$$;
