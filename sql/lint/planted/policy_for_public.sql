-- A policy for all roles, including the reporting logins.
create policy planted on core.feed as restrictive for select to public
  using (company_id = (select core.current_company()));
