-- Accepts a recovery code of a user; false if it is unknown or used already.
--
-- owner: fettle_auth
-- execute: fettle_app
create function core.use_recovery_code(p_user_id uuid, p_code_hash bytea) returns boolean
  language sql volatile security definer
  set search_path = core, pg_temp
as $$
  with used as (
    update core.recovery_code c
    set used_at = transaction_timestamp()
    where c.user_id = p_user_id
      and c.code_hash = p_code_hash
      and c.used_at is null
    returning c.user_id
  ),
  cleared as (
    update core.second_factor f
    set attempts = 0, attempts_since = transaction_timestamp()
    from used
    where f.user_id = used.user_id
  )
  select exists (select from used)
$$;
