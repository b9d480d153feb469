-- A check that waits for the commit.
alter table core.job_payload
  add constraint planted foreign key (company_id, job_id) references core.job (company_id, id)
  deferrable initially deferred;
