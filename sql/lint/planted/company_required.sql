-- A nullable company_id: a row without a company matches no policy and no export.
create table core.planted (company_id uuid, id uuid not null);
