-- Timers of records, and schedules of jobs.
-- Both contain ids only: workers see them in all companies, and read the records inside the company.

create table core.timer (
  company_id   uuid        not null,
  record_type  text        not null,
  record_id    uuid        not null,
  entry_no     bigint      not null,
  fire         text        not null,
  due_at       timestamptz not null,
  repeat_every interval    check (repeat_every > '0'),
  remaining    integer     check (remaining >= 0),
  owner_id     uuid,
  held         boolean     not null default false,
  failures     integer     not null default 0 check (failures >= 0),
  primary key (company_id, record_type, record_id, entry_no, fire)
);

create index timer_due on core.timer (due_at) where not held;

comment on table  core.timer is
  'Transitions that the system takes after a delay. Control data: ids only, visible to workers in all companies.';
comment on column core.timer.company_id is 'The company.';
comment on column core.timer.record_type is 'Type of the record.';
comment on column core.timer.record_id is 'The record.';
comment on column core.timer.entry_no is
  'Number of the entry into the status that started the timer; after a later entry the timer is void.';
comment on column core.timer.fire is 'Transition to take.';
comment on column core.timer.due_at is 'Time from which the timer may fire.';
comment on column core.timer.repeat_every is 'Interval between firings; null if the timer fires once.';
comment on column core.timer.remaining is 'Remaining number of firings; null if unlimited.';
comment on column core.timer.owner_id is 'Owner of the private record; null if the record belongs to the company.';
comment on column core.timer.held is 'True if the company is not active, which suspends the timer.';
comment on column core.timer.failures is
  'Number of consecutive failures; each one lengthens the delay until the next attempt.';

alter table core.timer enable row level security;
alter table core.timer force row level security;
create policy tenant on core.timer to fettle_app, fettle_admin
  using (company_id = (select core.current_company()))
  with check (company_id = (select core.current_company()));
create policy control_select on core.timer for select to fettle_worker using (true);
create policy control_update on core.timer for update to fettle_worker using (true) with check (true);
create policy control_delete on core.timer for delete to fettle_worker using (true);
create policy control_insert on core.timer for insert to fettle_worker
  with check (company_id = (select core.current_company()));
grant select, insert, update (due_at, repeat_every, remaining, held, failures), delete on core.timer
  to fettle_app, fettle_worker, fettle_admin;

create table core.app_schedule (
  name     text primary key check (name ~ '^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*(-[0-9]+)?$'),
  app      text not null check (app <> ''),
  kind     text not null check (kind ~ '^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*$'),
  cron     text not null check (cron <> ''),
  timezone text check (timezone <> '')
);

comment on table  core.app_schedule is 'Schedules that an app or the engine declares for every company. Global.';
comment on column core.app_schedule.name is
  'Name of the schedule in commands: the kind of job, with a number from the second schedule of a kind on.';
comment on column core.app_schedule.app is 'App that declares the schedule, or core; - for a schedule that the company made itself.';
comment on column core.app_schedule.kind is 'Kind of job to enqueue.';
comment on column core.app_schedule.cron is 'Cron expression: minute, hour, day of the month, month, day of the week.';
comment on column core.app_schedule.timezone is
  'Time zone of the cron expression; null for the time zone of each company.';

-- Seals the previous day while the load is low; see core.history_seal.
insert into core.app_schedule (name, app, kind, cron)
values ('history.seal', 'core', 'history.seal', '10 3 * * *');

-- Moves the data of demo companies to the new day. Every company gets the job, which does nothing elsewhere.
insert into core.app_schedule (name, app, kind, cron)
values ('demo.refresh', 'core', 'demo.refresh', '5 0 * * *');

grant select on core.app_schedule to fettle_app, fettle_worker, fettle_admin, fettle_auth;

create table core.schedule (
  company_id    uuid        not null references core.company (id),
  name          text        not null,
  app           text        not null,
  kind          text        not null,
  cron          text        not null,
  timezone      text,
  computed_zone text,
  next_at       timestamptz not null default '-infinity',
  last_at       timestamptz,
  last_job_id   uuid,
  paused_at     timestamptz,
  held          boolean     not null default false,
  created_at    timestamptz not null default now(),
  primary key (company_id, name)
);

create index schedule_due on core.schedule (next_at) where paused_at is null and not held;

comment on table  core.schedule is
  'Schedules of companies with their next run. Control data: visible to workers in all companies.';
comment on column core.schedule.company_id is 'The company.';
comment on column core.schedule.name is 'Name of the schedule in commands.';
comment on column core.schedule.app is 'App that declares the schedule, or core.';
comment on column core.schedule.kind is 'Kind of job to enqueue.';
comment on column core.schedule.cron is 'Cron expression, as in core.app_schedule.';
comment on column core.schedule.timezone is 'Time zone of the cron expression; null for the company''s.';
comment on column core.schedule.computed_zone is 'Time zone used to compute next_at; null if not computed yet.';
comment on column core.schedule.next_at is
  'Next due time; -infinity if not computed yet (nothing fires), infinity if never due again.';
comment on column core.schedule.last_at is 'Scheduled time of the last enqueued job; null if none.';
comment on column core.schedule.last_job_id is 'Last enqueued job; null if none.';
comment on column core.schedule.paused_at is 'Time of pausing; null if not paused.';
comment on column core.schedule.held is 'True if the company is not active, which suspends the schedule.';
comment on column core.schedule.created_at is 'Time of creation for the company.';

alter table core.schedule enable row level security;
alter table core.schedule force row level security;
create policy tenant on core.schedule to fettle_app, fettle_admin
  using (company_id = (select core.current_company()))
  with check (company_id = (select core.current_company()));
create policy control_select on core.schedule for select to fettle_worker using (true);
create policy control_update on core.schedule for update to fettle_worker using (true) with check (true);
create policy control_insert on core.schedule for insert to fettle_worker
  with check (company_id = (select core.current_company()));
create policy control_delete on core.schedule for delete to fettle_worker
  using (company_id = (select core.current_company()));
create policy auth_select on core.schedule for select to fettle_auth using (true);
grant select, insert, update (app, kind, cron, timezone, computed_zone, next_at, last_at, last_job_id,
  paused_at, held), delete on core.schedule to fettle_app, fettle_worker, fettle_admin;
grant select on core.schedule to fettle_auth;
