-- Returns the company and the invitation that an invite code belongs to.
--
-- Does not check that the invitation is valid; that is done inside the company.
--
-- owner: fettle_auth
-- execute: fettle_app, fettle_admin
create function core.invite_locate(p_code_hmac bytea)
  returns table (company_id uuid, invite_id uuid)
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  select l.company_id, l.invite_id
  from core.invite_locator l
  where l.code_hmac = p_code_hmac
$$;
