-- Returns the names, former names, addresses and handles of other people that contain a match of a pattern: of the members of a
-- company, or of all accounts if it is null.
--
-- execute: fettle_eraser, fettle_backup
create function core.other_names(p_pattern text, p_user uuid, p_company uuid) returns setof text
  language sql stable
  set search_path = ''
as $$
  select distinct n.text
  from core.app_user u
  cross join lateral (
    select u.name
    union all select u.email
    union all select '@' || split_part(u.email, '@', 1)
    union all select f.name from core.former_name f where f.user_id = u.id
  ) n (text)
  where u.id <> p_user
    and normalize(n.text, nfc) ~ p_pattern
    and (
      p_company is null
      or exists (select from core.membership m where m.company_id = p_company and m.user_id = u.id)
    )
$$;
