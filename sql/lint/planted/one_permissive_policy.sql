-- A second permissive policy: PostgreSQL shows a row if either policy allows it.
create policy planted on core.feed for select to fettle_app
  using (record_type = 'maintenance.entry');
