-- Returns the person for whom a mail with a code was requested in the last day; no row if the address belongs to
-- no active person, or if the address to verify is verified.
--
-- owner: fettle_auth
-- execute: fettle_worker
create function core.mail_recipient(p_request_id uuid)
  returns table (user_id uuid, email text, name text, language text)
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  select u.id, u.email, u.name,
    coalesce(p.language, (
      select c.language
      from core.membership m
      join core.company c on c.id = m.company_id
      where m.user_id = u.id and m.status = 'active'
      order by m.created_at, m.company_id
      limit 1
    ))
  from core.mail_request r
  join core.app_user u on u.email_key = r.email_key
  left join core.mail_profile p on p.user_id = u.id
  where r.id = p_request_id
    and r.requested_at > now() - interval '1 day'
    and u.kind = 'person'
    and u.status = 'active'
    and (r.purpose = 'reset' or u.email_verified_at is null or p.refused_key = u.email_key)
$$;
