-- Returns the totals of the devices of all companies that were seen in the last 180 days: devices, devices that lack changes,
-- changes that wait on devices and the age of the oldest in seconds as the devices said last, and conflicts and failed
-- changes, those that failed on the devices too, with the time in seconds for which the oldest has waited for a person.
--
-- For the metrics of workers, which otherwise see one company at a time. The totals reveal nothing about a single
-- company.
--
-- owner: fettle_auth
-- execute: fettle_worker, fettle_admin
create function core.sync_numbers()
  returns table (
    devices bigint, behind bigint, pending bigint, oldest_seconds double precision, conflicts bigint, failed bigint,
    undecided_seconds double precision)
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  select d.devices, d.behind, d.pending, d.oldest_seconds, i.conflicts, i.failed + d.failed, i.undecided_seconds
  from (
    select count(*) as devices, count(*) filter (where v.cursor_seq < n.seq) as behind,
      coalesce(sum(v.queue_pending), 0)::bigint as pending, coalesce(sum(v.queue_failed), 0)::bigint as failed,
      coalesce(greatest(extract(epoch from now() - min(v.queue_oldest)), 0), 0)::double precision as oldest_seconds
    from core.device v
    left join (
      select c.company_id, (select max(f.seq) from core.feed f where f.company_id = c.company_id) as seq
      from (select distinct x.company_id from core.device x) c
    ) n on n.company_id = v.company_id
    where v.revoked_at is null
      and greatest(v.last_push_at, v.last_pull_at) > now() - interval '180 days'
  ) d
  cross join (
    select count(*) filter (where s.status = 'conflict') as conflicts,
      count(*) filter (where s.status = 'failed' and s.result is not null) as failed,
      coalesce(greatest(extract(epoch from now() - min(s.updated_at)), 0), 0)::double precision as undecided_seconds
    from core.sync_item s
    where s.status in ('conflict', 'failed')
  ) i
$$;
