-- A foreign key without an index: every change of a member would read the whole table.
alter table core.audit
  add column planted uuid,
  add foreign key (company_id, planted) references core.membership (company_id, user_id);
