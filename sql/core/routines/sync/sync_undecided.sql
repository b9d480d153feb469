-- Returns the companies in which conflicts or failed changes of devices wait for a person, with the numbers of both and the
-- time since which the oldest has waited; the longest wait first, at most 200 companies.
--
-- For operators, who otherwise see the devices of one company at a time.
--
-- owner: fettle_auth
-- execute: fettle_admin
create function core.sync_undecided()
  returns table (company text, conflicts bigint, failed bigint, since timestamptz)
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  select c.slug, u.conflicts, u.failed, u.since
  from (
    select s.company_id, count(*) filter (where s.status = 'conflict') as conflicts,
      count(*) filter (where s.status = 'failed') as failed, min(s.updated_at) as since
    from core.sync_item s
    where s.status = 'conflict' or s.status = 'failed' and s.result is not null
    group by s.company_id
    order by min(s.updated_at)
    limit 200
  ) u
  join core.company c on c.id = u.company_id
  order by u.since
$$;
