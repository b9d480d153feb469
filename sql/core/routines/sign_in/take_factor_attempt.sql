-- Counts an attempt to complete a sign-in with a second factor, and returns its step; no row if the step token is
-- unknown, expired or has no attempts left. is_limited is true after ten attempts of the user in 15 minutes.
--
-- owner: fettle_auth
-- execute: fettle_app
create function core.take_factor_attempt(p_secret_hash bytea)
  returns table (id uuid, user_id uuid, sealed_choices bytea, is_limited boolean)
  language plpgsql volatile security definer
  set search_path = core, pg_temp
as $$
begin
  update core.sign_in s
  set attempts_left = s.attempts_left - 1
  where s.secret_hash = p_secret_hash
    and s.step = 'second_factor'
    and s.attempts_left > 0
    and s.expires_at > transaction_timestamp()
  returning s.id, s.user_id, s.sealed_choices into id, user_id, sealed_choices;
  if user_id is null then
    return;
  end if;
  is_limited := not core.count_factor_attempt(user_id);
  return next;
end
$$;
