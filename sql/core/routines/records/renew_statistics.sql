-- Analyses the tables of records, their history and the feed that have grown by a tenth, and by 1,000 rows, as after a large
-- import. Until autovacuum comes by, a minute later, the planner would believe that a new company has few rows, and would
-- read all of them to find one.
--
-- Only columns of indexes are read, which takes a fraction of the time and leaves the rest to autovacuum. A table that
-- somebody else analyses now is left out.
--
-- execute: fettle_worker
create function core.renew_statistics() returns void
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
declare
  statement text;
begin
  for statement in
    select format(
      'analyze (skip_locked) %s (%s)', c.oid::regclass,
      (
        select string_agg(format('%I', a.attname), ', ' order by a.attnum)
        from pg_attribute a
        where a.attrelid = c.oid and exists (
          select from pg_index i where i.indrelid = c.oid and a.attnum = any (i.indkey::smallint[]))
      ))
    from pg_class c
    where c.oid in (
        select format('%I.%I', t.table_schema, t.table_name)::regclass from core.record_type t
        union all
        select w.name::regclass from unnest(array['core.history', 'core.feed']) w (name)
      )
      and pg_stat_get_live_tuples(c.oid) - greatest(c.reltuples, 0) >= greatest(1000, c.reltuples / 10)
    order by c.oid
  loop
    execute statement;
  end loop;
end
$$;
