-- A constraint that does not hold for the rows that are there.
alter table core.job_end add constraint planted check (attempt < 1000) not valid;
