-- Removes what lets somebody sign in to an account whose address nobody has proved: sessions, API tokens, identities,
-- the second factor and the codes of mails. Another person may have made the account with this address. Returns false,
-- and removes nothing, if the address is proved already.
--
-- The caller replaces the password in the same transaction.
--
-- owner: fettle_auth
-- execute: fettle_auth
create function core.forget_unproven(p_user_id uuid) returns boolean
  language plpgsql volatile security definer
  set search_path = core, pg_temp
as $$
begin
  perform from core.app_user u where u.id = p_user_id and u.email_verified_at is null for update;
  if not found then
    return false;
  end if;
  perform core.end_sessions(p_user_id, 'address_proved');
  update core.api_token t set revoked_at = now() where t.user_id = p_user_id and t.revoked_at is null;
  delete from core.identity i where i.user_id = p_user_id;
  perform core.remove_second_factor(p_user_id);
  update core.mail_token t set used_at = now() where t.user_id = p_user_id and t.used_at is null;
  return true;
end
$$;
