-- Returns up to 1,000 active companies whose schedules differ from those of the apps, or were computed in
-- another time zone.
--
-- An entry function, because a worker can read only the row of its transaction's company.
--
-- owner: fettle_auth
-- execute: fettle_worker
create function core.companies_to_schedule()
  returns table (company_id uuid)
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  with wanted as (
    select d.name, d.app, d.kind, d.cron, d.timezone
    from core.app_schedule d
    where d.app = 'core' or exists (select from core.app a where a.name = d.app)
  )
  select c.id
  from core.company c
  where c.kind <> 'system'
    and c.status = 'active'
    and (
      exists (
        select from wanted w
        where not exists (
          select from core.schedule s
          where s.company_id = c.id
            and s.name = w.name
            and s.app = w.app
            and s.kind = w.kind
            and s.cron = w.cron
            and s.timezone is not distinct from w.timezone
        )
      )
      or exists (
        select from core.schedule s
        where s.company_id = c.id
          and (
            s.app <> '-' and not exists (select from wanted w where w.name = s.name)
            or s.next_at > '-infinity' and s.computed_zone is distinct from coalesce(s.timezone, c.timezone)
          )
      )
    )
  order by c.id
  limit 1000
$$;
