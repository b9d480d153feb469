-- Returns the companies in which the acting user is an active member and may sign in, by slug. last_seen_at is the
-- time of the user's latest session there; null if there was none.
--
-- owner: fettle_auth
-- execute: fettle_app
create function core.my_companies()
  returns table (
    company_id uuid, slug text, name text, kind text, timezone text, status text, role text, joined_at timestamptz,
    last_seen_at timestamptz)
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  select c.id, c.slug, c.name, c.kind, c.timezone, c.status, m.role, m.created_at,
    (
      select max(s.last_seen_at) from core.session s
      where s.company_id = m.company_id and s.user_id = m.user_id
    )
  from core.membership m
  join core.company c on c.id = m.company_id
  where m.user_id = (select core.current_user_id())
    and m.status = 'active'
    and c.status in ('active', 'suspended')
  order by c.slug
$$;
