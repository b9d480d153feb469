-- Stores the code of a mail that was requested in the last day, and returns whether it did; false if the address
-- belongs to no active person any more. A code for a password is valid for an hour, another one for 3 days.
--
-- Also deletes codes of the person that expired a week ago.
--
-- owner: fettle_auth
-- execute: fettle_worker
create function core.mint_mail_token(p_id uuid, p_request_id uuid, p_secret_hash bytea) returns boolean
  language sql volatile security definer
  set search_path = core, pg_temp
as $$
  with person as (
    select u.id, u.email_key, r.purpose
    from core.mail_request r
    join core.app_user u on u.email_key = r.email_key
    where r.id = p_request_id
      and r.requested_at > now() - interval '1 day'
      and u.kind = 'person'
      and u.status = 'active'
  ),
  forgotten as (
    delete from core.mail_token t
    using person p
    where t.user_id = p.id and t.expires_at < now() - interval '7 days'
  ),
  minted as (
    insert into core.mail_token (id, user_id, purpose, email_key, secret_hash, expires_at)
    select p_id, p.id, p.purpose, p.email_key, p_secret_hash,
      now() + case p.purpose when 'reset' then interval '1 hour' else interval '3 days' end
    from person p
    returning id
  )
  select exists (select from minted)
$$;
