-- Restricts a table to the company of the transaction by forced row-level security and a policy; grants
-- nothing.
--
-- set: client_min_messages = warning
create function core.attach_tenant_table(target regclass) returns void
  language plpgsql
  set search_path = ''
as $$
begin
  if exists (
    select from pg_catalog.pg_class c
    join pg_catalog.pg_policy p on p.polrelid = c.oid
    where c.oid = target
      and c.relrowsecurity
      and c.relforcerowsecurity
      and p.polname = 'tenant'
      and p.polpermissive
      and p.polcmd = '*'
      and p.polroles @> array['fettle_app', 'fettle_worker', 'fettle_admin']::regrole[]::oid[]
      and pg_catalog.cardinality(p.polroles) = 3
      and pg_catalog.pg_get_expr(p.polqual, p.polrelid)
        = '(company_id = ( SELECT core.current_company() AS current_company))'
      and pg_catalog.pg_get_expr(p.polwithcheck, p.polrelid)
        = '(company_id = ( SELECT core.current_company() AS current_company))'
  ) then
    return;
  end if;

  execute format('alter table %s enable row level security', target);
  execute format('alter table %s force row level security', target);
  execute format('drop policy if exists tenant on %s', target);
  execute format(
    'create policy tenant on %s to fettle_app, fettle_worker, fettle_admin '
    'using (company_id = (select core.current_company())) '
    'with check (company_id = (select core.current_company()))',
    target);
end
$$;
