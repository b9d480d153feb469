-- A policy that evaluates the context for each row.
alter policy tenant on core.feed using (company_id = core.current_company());
