-- A foreign key that deletes the rows that refer to a deleted row.
alter table core.job_key
  add constraint planted foreign key (company_id, job_id) references core.job_end (company_id, id)
  on delete cascade;
