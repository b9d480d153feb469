-- Makes a member's sessions of the transaction's company take new secrets, after a change of the role: the access
-- tokens of mobile sessions end, so that the devices refresh them, and other sessions end.
--
-- owner: fettle_auth
-- execute: fettle_app, fettle_admin
create function core.renew_sessions(p_company_id uuid, p_user_id uuid) returns void
  language sql volatile security definer
  set search_path = core, pg_temp
as $$
  update core.session s
  set access_until = case when s.kind = 'mobile' then least(s.access_until, now()) else s.access_until end,
    revoked_at = case when s.kind <> 'mobile' then now() end,
    revoked_why = case when s.kind <> 'mobile' then 'role_changed' end
  where s.company_id = p_company_id
    and s.company_id = (select core.current_company())
    and s.user_id = p_user_id
    and s.revoked_at is null
$$;
