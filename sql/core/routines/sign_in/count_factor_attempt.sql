-- Counts an attempt to give a code of a second factor; false after ten attempts in 15 minutes.
--
-- owner: fettle_auth
-- execute: fettle_app
create function core.count_factor_attempt(p_user_id uuid) returns boolean
  language sql volatile security definer
  set search_path = core, pg_temp
as $$
  with counted as (
    update core.second_factor f
    set attempts = case when f.attempts_since > transaction_timestamp() - interval '15 minutes' then f.attempts else 0 end + 1,
      attempts_since = case
        when f.attempts_since > transaction_timestamp() - interval '15 minutes' then f.attempts_since
        else transaction_timestamp()
      end
    where f.user_id = p_user_id
    returning f.attempts
  )
  select coalesce((select c.attempts <= 10 from counted c), false)
$$;
