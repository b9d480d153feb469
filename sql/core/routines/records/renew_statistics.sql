-- Renews the statistics that an import of p_rows records of a type made wrong: those of its table, of the history and of
-- the feed. Until autovacuum comes by, a minute later, the planner would believe that the company has few rows, and would
-- read all of them to find one.
--
-- Only columns of indexes are read, which takes a fraction of the time and leaves the rest to autovacuum. Tables that are
-- ten times as large keep their statistics, and so do those that somebody else analyses now.
--
-- execute: fettle_app, fettle_worker, fettle_admin
create function core.renew_statistics(p_type text, p_rows bigint) returns void
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
        select format('%I.%I', t.table_schema, t.table_name)::regclass
        from core.record_type t
        where t.name = p_type
        union all
        select w.name::regclass from unnest(array['core.history', 'core.feed']) w (name)
      )
      and c.reltuples < 10 * p_rows
    order by c.oid
  loop
    execute statement;
  end loop;
end
$$;
