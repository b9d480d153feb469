-- A foreign key that deletes what points to the row.
alter table core.job_payload
  add constraint planted foreign key (company_id, job_id) references core.job (company_id, id)
  on delete cascade;
