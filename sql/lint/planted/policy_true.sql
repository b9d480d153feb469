-- A policy that admits every company's rows.
drop policy tenant on core.feed;

create policy tenant on core.feed to fettle_app using (true) with check (true);
