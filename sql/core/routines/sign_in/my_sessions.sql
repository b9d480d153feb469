-- Returns the open sessions of the acting user in all companies, the latest used first.
--
-- owner: fettle_auth
-- execute: fettle_app
create function core.my_sessions()
  returns table (
    id uuid, company_id uuid, company text, kind text, device_id uuid, device_name text, user_agent text,
    created_at timestamptz, last_seen_at timestamptz, expires_at timestamptz)
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  select s.id, c.id, c.slug, s.kind, s.device_id, s.device_name, s.user_agent, s.created_at, s.last_seen_at,
    s.expires_at
  from core.session s
  join core.company c on c.id = s.company_id
  where s.user_id = (select core.current_user_id())
    and s.revoked_at is null
    and s.idle_until > now()
    and s.expires_at > now()
  order by s.last_seen_at desc, s.id
$$;
