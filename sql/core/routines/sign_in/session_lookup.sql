-- Returns the member, the state and the secrets of a session of the transaction's company, to compare with the
-- presented token. is_usable is false once the session has ended or the member may no longer sign in.
--
-- owner: fettle_auth
-- execute: fettle_app
create function core.session_lookup(p_company_id uuid, p_id uuid)
  returns table (
    user_id uuid, kind text, secret_hash bytea, refresh_salt bytea, generation integer, confirmed integer,
    is_usable boolean, has_access boolean, strong_at timestamptz, expires_at timestamptz)
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  select s.user_id, s.kind, s.secret_hash, s.refresh_salt, s.generation, s.confirmed,
    s.revoked_at is null and s.idle_until > now() and s.expires_at > now()
      and m.status = 'active' and u.status = 'active' and c.status in ('active', 'suspended'),
    s.access_until > now(), s.strong_at, s.expires_at
  from core.session s
  join core.membership m on m.company_id = s.company_id and m.user_id = s.user_id
  join core.app_user u on u.id = s.user_id
  join core.company c on c.id = s.company_id
  where s.company_id = p_company_id
    and s.company_id = (select core.current_company())
    and s.id = p_id
$$;
