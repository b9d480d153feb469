-- A global table that refers to a company's rows: in a distributed database these are not on all nodes.
create table core.planted (
  name text primary key,
  company uuid not null,
  member uuid not null,
  foreign key (company, member) references core.membership (company_id, user_id)
);
