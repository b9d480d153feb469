-- Puts the pending secret of a user in use, if it equals the given one, and replaces the recovery codes; returns false
-- otherwise.
--
-- The code that confirmed it counts as used.
--
-- owner: fettle_auth
-- execute: fettle_app
create function core.confirm_second_factor(
  p_user_id uuid,
  p_pending_secret bytea,
  p_step bigint,
  p_code_hashes bytea[]
) returns boolean
  language plpgsql volatile security definer
  set search_path = core, pg_temp
as $$
begin
  update core.second_factor f
  set sealed_secret = f.pending_secret, confirmed_at = transaction_timestamp(), last_step = p_step,
    pending_secret = null, pending_until = null, attempts = 0, attempts_since = transaction_timestamp()
  where f.user_id = p_user_id
    and f.pending_secret = p_pending_secret
    and f.pending_until > transaction_timestamp();
  if not found then
    return false;
  end if;
  perform core.replace_recovery_codes(p_user_id, p_code_hashes);
  return true;
end
$$;
