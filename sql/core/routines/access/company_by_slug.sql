-- Returns the company with a slug; callable before a company is entered.
--
-- owner: fettle_auth
-- execute: fettle_app, fettle_admin
create function core.company_by_slug(p_slug text)
  returns table (id uuid, slug text, name text, kind text, timezone text, status text)
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  select c.id, c.slug, c.name, c.kind, c.timezone, c.status
  from core.company c
  where c.slug = p_slug
$$;
