-- Timers of records, and jobs that run on a schedule.
-- Both hold ids only; workers see them across companies and read the rest inside the company.

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
  'Transitions that the system takes when time has passed. Control: ids only, seen by workers everywhere.';
comment on column core.timer.company_id is 'The company.';
comment on column core.timer.record_type is 'Type of the record.';
comment on column core.timer.record_id is 'The record.';
comment on column core.timer.entry_no is 'Which entering of the status armed it; after the next it is void.';
comment on column core.timer.fire is 'The transition to take.';
comment on column core.timer.due_at is 'When.';
comment on column core.timer.repeat_every is 'Then again after this long; null: once.';
comment on column core.timer.remaining is 'How often still; null: without end.';
comment on column core.timer.owner_id is 'The member whose private record it is; null where it is the company''s.';
comment on column core.timer.held is 'The company is not active: the timer rests until it is again.';
comment on column core.timer.failures is 'How often firing failed since it last did not; each time it waits longer.';

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

comment on table  core.app_schedule is 'Jobs that an app, or the engine, wants done at certain times in every company. Global.';
comment on column core.app_schedule.name is 'What commands call it: the kind of job, with a number after the first of a kind.';
comment on column core.app_schedule.app is 'The app that brought it, or core.';
comment on column core.app_schedule.kind is 'The kind of job.';
comment on column core.app_schedule.cron is 'When: minute, hour, day of the month, month, day of the week.';
comment on column core.app_schedule.timezone is 'Whose clock it goes by; null: each company''s own.';

-- Seals the previous day while the load is low; see core.history_seal.
insert into core.app_schedule (name, app, kind, cron)
values ('history.seal', 'core', 'history.seal', '10 3 * * *');

-- Moves the data of demo companies to the new day. All companies get the job, which checks for that.
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
  'What a company does at certain times, and when next. Control: ids only, seen by workers everywhere.';
comment on column core.schedule.company_id is 'The company.';
comment on column core.schedule.name is 'What commands call it.';
comment on column core.schedule.app is 'The app that brought it, or core.';
comment on column core.schedule.kind is 'The kind of job that it enqueues.';
comment on column core.schedule.cron is 'When, as core.app_schedule says.';
comment on column core.schedule.timezone is 'Whose clock it goes by; null: the company''s.';
comment on column core.schedule.computed_zone is 'The zone in which next_at was computed.';
comment on column core.schedule.next_at is
  'When it is due next; -infinity: not computed yet, which fires nothing; infinity: never again.';
comment on column core.schedule.last_at is 'The time for which it enqueued last.';
comment on column core.schedule.last_job_id is 'The job that it enqueued last.';
comment on column core.schedule.paused_at is 'Set: somebody paused it.';
comment on column core.schedule.held is 'The company is not active: the schedule rests until it is again.';
comment on column core.schedule.created_at is 'When the company got it.';

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
create policy doors_select on core.schedule for select to fettle_auth using (true);
grant select, insert, update (app, kind, cron, timezone, computed_zone, next_at, last_at, last_job_id,
  paused_at, held), delete on core.schedule to fettle_app, fettle_worker, fettle_admin;
grant select on core.schedule to fettle_auth;
