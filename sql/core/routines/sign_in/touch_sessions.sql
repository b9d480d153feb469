-- Records uses of sessions, and postpones the end of those that end without use. Mobile sessions are postponed by
-- refreshing only. Each array has one element per session.
--
-- Locked rows are skipped: a later use records them.
--
-- owner: fettle_auth
-- execute: fettle_app
create function core.touch_sessions(p_companies uuid[], p_ids uuid[], p_at timestamptz[]) returns bigint
  language sql volatile security definer
  set search_path = core, pg_temp
as $$
  with used as (
    select s.company_id, s.id, u.at
    from unnest(p_companies, p_ids, p_at) u (company_id, id, at)
    join core.session s on s.company_id = u.company_id and s.id = u.id
    where s.revoked_at is null
    order by s.company_id, s.id
    for update of s skip locked
  ), touched as (
    update core.session s
    set last_seen_at = greatest(s.last_seen_at, least(u.at, now())),
      idle_until = case
        when s.kind = 'mobile' or s.idle_until <= now() then s.idle_until
        else least(
          greatest(s.idle_until, least(u.at, now()) + make_interval(secs => s.idle_seconds)), s.expires_at)
      end
    from used u
    where s.company_id = u.company_id and s.id = u.id
    returning s.id
  )
  select count(*) from touched
$$;
