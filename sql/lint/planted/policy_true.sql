-- A policy that admits the rows of all companies.
drop policy tenant on core.feed;

create policy tenant on core.feed to fettle_app using (true) with check (true);
