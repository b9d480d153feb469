-- Returns the companies that a user is or was a member of, for operators.
--
-- owner: fettle_auth
-- execute: fettle_admin
create function core.companies_of(p_user_id uuid)
  returns table (
    company_id uuid, slug text, name text, kind text, status text, role text, membership_status text)
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  select c.id, c.slug, c.name, c.kind, c.status, m.role, m.status
  from core.membership m
  join core.company c on c.id = m.company_id
  where m.user_id = p_user_id
  order by c.slug
$$;
