-- Returns the weeks that have partitions, oldest first, with their size in bytes.
--
-- execute: fettle_app, fettle_worker, fettle_admin
create function core.job_weeks()
  returns table (week date, queued boolean, claims boolean, bytes bigint)
  language sql stable
  set search_path = core, pg_temp
as $$
  select to_date(right(c.relname, 8), 'YYYYMMDD'), bool_or(c.relname ~ '^job_queued_'), bool_or(c.relname ~ '^job_claim_'),
    sum(pg_total_relation_size(c.oid))::bigint
  from pg_catalog.pg_class c
  where c.relnamespace = 'core'::regnamespace and c.relkind = 'r'
    and c.relname ~ '^job_(queued|claim|ack|attempt|note)_[0-9]{8}$'
  group by 1
  order by 1
$$;
