-- Records that a mail server refused the address of a person permanently, and returns whether it did: the person
-- must have that address, and be a member of the transaction's company unless that is the system company.
--
-- owner: fettle_auth
-- execute: fettle_worker
create function core.refuse_address(p_user_id uuid, p_email_key text, p_status integer, p_reason text) returns boolean
  language sql volatile security definer
  set search_path = core, pg_temp
as $$
  with refused as (
    insert into core.mail_profile as p (user_id, refused_key, refused_status, refused_reason, refused_at)
    select u.id, u.email_key, p_status, left(p_reason, 500), now()
    from core.app_user u
    where u.id = p_user_id
      and u.email_key = p_email_key
      and (
        (select core.current_company()) = '00000000-0000-7000-8000-000000000000'
        or exists (
          select from core.membership m
          where m.company_id = (select core.current_company()) and m.user_id = u.id
        )
      )
    on conflict (user_id) do update
    set refused_key = excluded.refused_key, refused_status = excluded.refused_status,
      refused_reason = excluded.refused_reason, refused_at = excluded.refused_at, updated_at = now()
    returning p.user_id
  )
  select exists (select from refused)
$$;
