-- A row without a company would be in nobody's policy and nobody's export.
create table core.planted (company_id uuid, id uuid not null);
