-- A policy that calls a context function for each row.
alter policy tenant on core.feed using (company_id = core.current_company());
