-- Records that an authenticating proxy has proved the address of a person, who has no password from then on. False if the
-- address was proved already.
--
-- owner: fettle_auth
-- execute: fettle_app
create function core.prove_address(p_user_id uuid) returns boolean
  language plpgsql volatile security definer
  set search_path = core, pg_temp
as $$
begin
  -- Without a lock for the usual case: every request of a proxy asks.
  if not exists (select from core.app_user u where u.id = p_user_id and u.email_verified_at is null)
    or not core.forget_unproven(p_user_id)
  then
    return false;
  end if;
  update core.app_user u
  set password_hash = null, email_verified_at = now(), updated_at = now()
  where u.id = p_user_id;
  return true;
end
$$;
