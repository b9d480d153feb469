-- Ends the sessions of a user: in one company or in all, one session or all but one; returns the number ended.
--
-- owner: fettle_auth
-- execute: fettle_app, fettle_admin
create function core.end_sessions(
  p_user_id uuid,
  p_why text,
  p_company_id uuid default null,
  p_session_id uuid default null,
  p_except uuid default null
) returns bigint
  language sql volatile security definer
  set search_path = core, pg_temp
as $$
  with ended as (
    update core.session s
    set revoked_at = now(), revoked_why = p_why
    where s.user_id = p_user_id
      and (p_company_id is null or s.company_id = p_company_id)
      and (p_session_id is null or s.id = p_session_id)
      and s.id is distinct from p_except
      and s.revoked_at is null
    returning s.id
  )
  select count(*) from ended
$$;
