-- A policy for everybody, the reporting logins too.
create policy planted on core.feed as restrictive for select to public
  using (company_id = (select core.current_company()));
