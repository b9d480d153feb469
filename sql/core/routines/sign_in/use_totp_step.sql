-- Accepts a code of a time step; false if a code of this step or a later one was accepted before.
--
-- owner: fettle_auth
-- execute: fettle_app
create function core.use_totp_step(p_user_id uuid, p_step bigint) returns boolean
  language sql volatile security definer
  set search_path = core, pg_temp
as $$
  with used as (
    update core.second_factor f
    set last_step = p_step, attempts = 0, attempts_since = transaction_timestamp()
    where f.user_id = p_user_id
      and f.confirmed_at is not null
      and (f.last_step is null or f.last_step < p_step)
    returning f.user_id
  )
  select exists (select from used)
$$;
