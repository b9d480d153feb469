-- A global table that refers to a company's rows cannot be on all nodes.
create table core.planted (
  name text primary key,
  company uuid not null,
  member uuid not null,
  foreign key (company, member) references core.membership (company_id, user_id)
);
