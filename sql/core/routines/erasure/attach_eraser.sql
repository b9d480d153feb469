-- Gives fettle_eraser the rows of one company at a time in every table with rows of companies, to erase a company and to
-- write one from an archive; called after every change of the schema, so that no table of an app is forgotten.
--
-- set: client_min_messages = warning
create function core.attach_eraser() returns void
  language plpgsql
  set search_path = ''
as $$
declare
  target record;
begin
  for target in
    select t.place, c.relnamespace::regnamespace as space
    from core.company_tables() t
    join pg_catalog.pg_class c on c.oid = t.place
    where not pg_catalog.has_table_privilege('fettle_eraser', t.place, 'insert')
      or not exists (select from pg_catalog.pg_policy p where p.polrelid = t.place and p.polname = 'eraser')
    order by t.place
  loop
    execute format('grant usage on schema %s to fettle_eraser', target.space);
    execute format('grant select, insert, update, delete on %s to fettle_eraser', target.place);
    execute format('drop policy if exists eraser on %s', target.place);
    execute format(
      'create policy eraser on %s to fettle_eraser '
      'using (company_id = (select core.current_company())) '
      'with check (company_id = (select core.current_company()))',
      target.place);
  end loop;
end
$$;
