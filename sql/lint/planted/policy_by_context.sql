-- A policy that asks the context again for every row.
alter policy tenant on core.feed using (company_id = core.current_company());
