-- Records that a person proved to receive mail at an address, if it is still theirs; false otherwise.
--
-- owner: fettle_auth
-- execute: fettle_app
create function core.verify_email(p_user_id uuid, p_email_key text) returns boolean
  language sql volatile security definer
  set search_path = core, pg_temp
as $$
  with verified as (
    update core.app_user
    set email_verified_at = coalesce(email_verified_at, transaction_timestamp()), updated_at = transaction_timestamp()
    where id = p_user_id
      and email_key = p_email_key
    returning id
  )
  select exists (select from verified)
$$;
