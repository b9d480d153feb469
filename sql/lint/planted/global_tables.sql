-- A table without company_id that is not on the list.
create table core.planted (id uuid primary key);
