-- Gives all objects of fettle_author to fettle_owner; called by fettle_installer when an app has been checked.
create function core.adopt_app() returns void
  language plpgsql
  set search_path = ''
as $$
declare
  lent record;
begin
  for lent in
    select 'schema' as kind, format('%I', n.nspname) as name
    from pg_catalog.pg_namespace n
    where n.nspowner = 'fettle_author'::regrole
  loop
    execute format('alter %s %s owner to fettle_owner', lent.kind, lent.name);
  end loop;

  for lent in
    select case when c.relkind = 'v' then 'view' else 'table' end as kind, c.oid::regclass::text as name
    from pg_catalog.pg_class c
    where c.relowner = 'fettle_author'::regrole
      and c.relkind in ('r', 'p', 'v')
    union all
    select 'function', p.oid::regprocedure::text
    from pg_catalog.pg_proc p
    where p.proowner = 'fettle_author'::regrole
      and p.oid <> 'core.run_as_author(text)'::regprocedure
  loop
    execute format('alter %s %s owner to fettle_owner', lent.kind, lent.name);
  end loop;
end
$$;
