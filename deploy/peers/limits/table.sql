-- The minimal table of a queue whose jobs have payloads.
create table job (
  id bigint generated always as identity primary key,
  running boolean not null default false,
  payload jsonb not null
);
create index job_waiting on job (id) where not running;
