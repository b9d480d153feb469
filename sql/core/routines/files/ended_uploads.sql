-- Returns up to p_limit uploads of the transaction's company that have expired, or were finished more than a day ago,
-- and to which no request is writing.
--
-- owner: fettle_auth
-- execute: fettle_worker, fettle_admin
create function core.ended_uploads(p_limit integer) returns setof uuid
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  select u.id
  from core.upload u
  where u.company_id = (select core.current_company())
    and (u.expires_at < now() or u.finished_at < now() - interval '1 day')
    and coalesce(u.writing_until < now(), true)
  order by u.expires_at
  limit p_limit
$$;
