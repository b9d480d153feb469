-- Returns the confirmed second factor of a user; no row if sign-in requires none.
--
-- owner: fettle_auth
-- execute: fettle_app
create function core.second_factor_of(p_user_id uuid)
  returns table (sealed_secret bytea, confirmed_at timestamptz, last_step bigint, codes_left bigint)
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  select f.sealed_secret, f.confirmed_at, f.last_step,
    (select count(*) from core.recovery_code c where c.user_id = f.user_id and c.used_at is null)
  from core.second_factor f
  where f.user_id = p_user_id
    and f.confirmed_at is not null
$$;
