-- A constraint that existing rows may violate.
alter table core.job_end add constraint planted check (attempt < 1000) not valid;
