-- Counts a request for a mail with a code and returns its id; null after 5 requests for an address and a purpose
-- within an hour.
--
-- Does the same for known and unknown addresses. Also forgets some requests of earlier days.
--
-- owner: fettle_auth
-- execute: fettle_app, fettle_admin
create function core.request_mail(p_id uuid, p_purpose text, p_email_key text) returns uuid
  language sql volatile security definer
  set search_path = core, pg_temp
as $$
  with forgotten as (
    delete from core.mail_request r
    where r.id = any (array(
      select o.id from core.mail_request o
      where o.requested_at < now() - interval '1 day' and (o.purpose, o.email_key) <> (p_purpose, p_email_key)
      order by o.requested_at
      limit 10
      for update skip locked
    ))
  )
  insert into core.mail_request as r (id, purpose, email_key, requests)
  values (p_id, p_purpose, p_email_key, 1)
  on conflict (purpose, email_key) do update
  set requests = case when r.window_at < now() - interval '1 hour' then 1 else r.requests + 1 end,
    window_at = case when r.window_at < now() - interval '1 hour' then now() else r.window_at end,
    requested_at = now()
  where r.window_at < now() - interval '1 hour' or r.requests < 5
  returning r.id
$$;
