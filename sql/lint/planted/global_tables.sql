-- A table without company_id that nobody put on the list.
create table core.planted (id uuid primary key);
