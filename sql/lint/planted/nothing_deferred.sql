-- A constraint that is checked at commit.
alter table core.job_key
  add constraint planted foreign key (company_id, job_id) references core.job_end (company_id, id)
  deferrable initially deferred;
