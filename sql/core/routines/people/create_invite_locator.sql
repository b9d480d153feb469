-- Registers the code of an invitation of the transaction's company; raises an error if there is no such
-- invitation.
--
-- owner: fettle_auth
-- execute: fettle_app, fettle_admin
create function core.create_invite_locator(p_code_hmac bytea, p_company_id uuid, p_invite_id uuid)
  returns void
  language plpgsql volatile security definer
  set search_path = core, pg_temp
as $$
begin
  insert into core.invite_locator (code_hmac, company_id, invite_id)
  select p_code_hmac, i.company_id, i.id
  from core.invite i
  where i.company_id = p_company_id
    and i.id = p_invite_id;
  if not found then
    raise exception 'invitation not found in this company' using errcode = 'foreign_key_violation';
  end if;
end
$$;
