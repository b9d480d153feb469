-- Judges a genuine refresh token of a mobile session, and returns the outcome. The caller has verified the token and
-- passes its generation, with the hash of the access token of the next one.
--
--   rotated   the token is the current one: the session moves to the next generation;
--   repeated  the token is the previous one, and the client is not known to have the current one: its answer may
--             have been lost, so it gets the same tokens again;
--   reused    the token was replaced before and must have been copied: the session ends;
--   ended     the session has ended, or the member may no longer sign in.
--
-- Simultaneous calls wait for each other on the row's lock: one rotates, the others repeat.
--
-- owner: fettle_auth
-- execute: fettle_app
create function core.rotate_session(
  p_company_id uuid,
  p_id uuid,
  p_presented integer,
  p_secret_hash bytea,
  p_access_seconds integer
) returns text
  language plpgsql volatile security definer
  set search_path = core, pg_temp
as $$
declare
  session core.session;
begin
  select s.* into session
  from core.session s
  where s.company_id = p_company_id
    and s.company_id = (select core.current_company())
    and s.id = p_id
    and s.kind = 'mobile'
  for update;
  if not found
    or session.revoked_at is not null
    or session.idle_until <= now()
    or session.expires_at <= now()
    or not exists (
      select from core.membership m
      join core.app_user u on u.id = m.user_id
      join core.company c on c.id = m.company_id
      where m.company_id = session.company_id
        and m.user_id = session.user_id
        and m.status = 'active'
        and u.status = 'active'
        and c.status in ('active', 'suspended')
    ) then
    return 'ended';
  end if;

  if p_presented = session.generation then
    update core.session s
    set generation = s.generation + 1,
      confirmed = s.generation,
      secret_hash = p_secret_hash,
      access_until = least(now() + make_interval(secs => p_access_seconds), s.expires_at),
      idle_until = least(now() + make_interval(secs => s.idle_seconds), s.expires_at),
      last_seen_at = greatest(s.last_seen_at, now())
    where s.company_id = session.company_id and s.id = session.id;
    return 'rotated';
  end if;

  if p_presented = session.generation - 1 and session.confirmed < session.generation then
    update core.session s
    set secret_hash = p_secret_hash,  -- another one after a rotation of the key
      access_until = least(now() + make_interval(secs => p_access_seconds), s.expires_at)
    where s.company_id = session.company_id and s.id = session.id;
    return 'repeated';
  end if;

  update core.session s
  set revoked_at = now(), revoked_why = 'reused'
  where s.company_id = session.company_id and s.id = session.id;
  return 'reused';
end
$$;
