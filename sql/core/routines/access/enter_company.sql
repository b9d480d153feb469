-- Enters a company and, if the handle matches exactly one member, acts as that member; returns no row for an
-- unknown company.
--
-- The handle is an e-mail address or its part before the @. matches is the number of matching members.
--
-- owner: fettle_auth
-- execute: fettle_app, fettle_admin
create function core.enter_company(p_slug text, p_handle text)
  returns table (company_id uuid, user_id uuid, matches bigint)
  language plpgsql volatile security definer
  set search_path = core, pg_temp
as $$
declare
  handle text := lower(btrim(p_handle));
begin
  select c.id into company_id from core.company c where c.slug = p_slug;
  if company_id is null then
    return;
  end if;
  perform pg_catalog.set_config('fettle.company_id', company_id::text, true);

  -- A full address wins over a part before the @; several members with the same part are ambiguous.
  select (array_agg(u.id order by u.email_key = handle desc, m.status = 'active' desc, u.email_key))[1],
    case when bool_or(u.email_key = handle) then 1 else count(*) end
  into user_id, matches
  from core.membership m
  join core.app_user u on u.id = m.user_id
  where m.company_id = enter_company.company_id
    and (u.email_key = handle or split_part(u.email_key, '@', 1) = handle);
  if matches <> 1 then
    user_id := null;
  end if;
  if user_id is not null then
    perform pg_catalog.set_config('fettle.user_id', user_id::text, true);
  end if;
  return next;
end
$$;
