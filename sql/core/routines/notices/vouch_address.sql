-- Verifies the address of a person without a code, for operators; false if there is no such user. Mails are sent to
-- the address again, if it had refused one.
--
-- owner: fettle_auth
-- execute: fettle_admin
create function core.vouch_address(p_user_id uuid) returns boolean
  language sql volatile security definer
  set search_path = core, pg_temp
as $$
  with cleared as (
    update core.mail_profile p
    set refused_key = null, refused_status = null, refused_reason = null, refused_at = null, updated_at = now()
    where p.user_id = p_user_id and p.refused_at is not null
  ),
  verified as (
    update core.app_user a
    set email_verified_at = now(), updated_at = now()
    where a.id = p_user_id
    returning a.id
  )
  select exists (select from verified)
$$;
