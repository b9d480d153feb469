-- A second permissive policy: either of the two lets a row through.
create policy planted on core.feed for select to fettle_app
  using (record_type = 'maintenance.entry');
