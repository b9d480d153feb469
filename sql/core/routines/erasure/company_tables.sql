-- Returns the tables with rows of companies, each before those that its foreign keys lead to. Tables in a circle of foreign
-- keys, and those behind it, have the greatest depth, which is the number of tables.
--
-- Read from the catalogue, so that a table which an app adds later is among them.
--
-- execute: fettle_admin, fettle_worker, fettle_eraser, fettle_backup
create function core.company_tables() returns table (place regclass, depth integer)
  language sql stable
  set search_path = ''
as $$
  with recursive
  here as (
    select c.oid
    from pg_catalog.pg_class c
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attname = 'company_id' and not a.attisdropped
    where n.nspowner = 'fettle_owner'::regrole
      and c.relkind in ('r', 'p')
      and not c.relispartition
  ),
  reference as (
    select distinct k.conrelid as child, k.confrelid as parent
    from pg_catalog.pg_constraint k
    join here child on child.oid = k.conrelid
    join here parent on parent.oid = k.confrelid
    where k.contype = 'f' and k.conrelid <> k.confrelid
  ),
  walk (oid, depth) as (
    select h.oid, 0::bigint from here h
    union
    select r.parent, w.depth + 1
    from walk w
    join reference r on r.child = w.oid
    where w.depth < (select count(*) from here)
  )
  select w.oid::regclass, max(w.depth)::integer
  from walk w
  group by w.oid
  order by 2, w.oid::regclass::text
$$;
