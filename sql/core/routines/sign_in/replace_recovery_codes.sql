-- Replaces the recovery codes of a user.
--
-- owner: fettle_auth
-- execute: fettle_app
create function core.replace_recovery_codes(p_user_id uuid, p_code_hashes bytea[]) returns void
  language plpgsql volatile security definer
  set search_path = core, pg_temp
as $$
begin
  delete from core.recovery_code c where c.user_id = p_user_id;
  insert into core.recovery_code (user_id, code_hash)
  select p_user_id, h.code_hash from unnest(p_code_hashes) h (code_hash);
end
$$;
