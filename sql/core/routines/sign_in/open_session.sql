-- Opens a session for an active member of the transaction's company, and returns the time from which its access
-- token is refused; raises an error for anyone else.
--
-- p_strong_at is the time of the last proof by password, identity or second factor. Infinity stands for the current
-- time, null for no proof.
--
-- owner: fettle_auth
-- execute: fettle_app
create function core.open_session(
  p_id uuid,
  p_company_id uuid,
  p_user_id uuid,
  p_kind text,
  p_secret_hash bytea,
  p_refresh_salt bytea,
  p_access_seconds integer,
  p_idle_seconds integer,
  p_life_seconds integer,
  p_strong_at timestamptz,
  p_device_id uuid default null,
  p_device_name text default '',
  p_user_agent text default ''
) returns timestamptz
  language plpgsql volatile security definer
  set search_path = core, pg_temp
as $$
declare
  until timestamptz;
begin
  insert into core.session
    (company_id, id, user_id, kind, device_id, device_name, secret_hash, refresh_salt, access_until, idle_seconds,
     idle_until, expires_at, strong_at, user_agent)
  select m.company_id, p_id, m.user_id, p_kind, p_device_id, p_device_name, p_secret_hash, p_refresh_salt,
    now() + make_interval(secs => least(p_access_seconds, p_life_seconds)), p_idle_seconds,
    now() + make_interval(secs => least(p_idle_seconds, p_life_seconds)),
    now() + make_interval(secs => p_life_seconds), case when p_strong_at is not null then least(p_strong_at, now()) end, p_user_agent
  from core.membership m
  join core.app_user u on u.id = m.user_id
  join core.company c on c.id = m.company_id
  where m.company_id = p_company_id
    and m.company_id = (select core.current_company())
    and m.user_id = p_user_id
    and m.status = 'active'
    and u.status = 'active'
    and c.status in ('active', 'suspended')
  returning access_until into until;
  if until is null then
    raise exception 'active member not found in this company' using errcode = 'foreign_key_violation';
  end if;
  return until;
end
$$;
