-- Time: whose private records a timer acts on, which timers rest, and what every company does at certain times.

alter table core.timer
  add column owner_id uuid,
  add column held     boolean not null default false,
  add column failures integer not null default 0 check (failures >= 0);

comment on column core.timer.owner_id is 'The member whose private record it is; null where it is the company''s.';
comment on column core.timer.held is 'The company is not active: the timer rests until it is again.';
comment on column core.timer.failures is 'How often firing failed since it last did not; each time it waits longer.';

-- What rests is not in the way of what is due.
drop index core.timer_due_at_idx;
create index timer_due on core.timer (due_at) where not held;

grant update (held, failures) on core.timer to fettle_app, fettle_worker, fettle_admin;

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

grant select on core.app_schedule to fettle_app, fettle_worker, fettle_admin, fettle_auth;

-- Seals the day before while little happens; see core.history_seal.
insert into core.app_schedule (name, app, kind, cron)
values ('history.seal', 'core', 'history.seal', '10 3 * * *');

create table core.schedule (
  company_id    uuid        not null references core.company (id),
  name          text        not null,
  app           text        not null,
  kind          text        not null,
  cron          text        not null,
  timezone      text,
  reckoned_zone text,
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
comment on column core.schedule.reckoned_zone is 'The zone in which next_at was reckoned.';
comment on column core.schedule.next_at is
  'When it is due next; -infinity: not reckoned yet, which fires nothing; infinity: never again.';
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
grant select, insert, delete,
  update (app, kind, cron, timezone, reckoned_zone, next_at, last_at, last_job_id, paused_at, held)
  on core.schedule to fettle_app, fettle_worker, fettle_admin;
grant select on core.schedule to fettle_auth;
grant select on core.app to fettle_auth;

-- A function's body is checked as its maker, who is still the owner here: under row_security = off that is
-- refused for any table with policies.
set local row_security = on;

-- A worker sees schedules of all companies but no company by itself: which of them lack one it is told here.
create function core.companies_to_schedule()
  returns table (company_id uuid)
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  with wanted as (
    select d.name, d.app, d.kind, d.cron, d.timezone
    from core.app_schedule d
    where d.app = 'core' or exists (select from core.app a where a.name = d.app)
  )
  select c.id
  from core.company c
  where c.kind <> 'system'
    and c.status = 'active'
    and (
      exists (
        select from wanted w
        where not exists (
          select from core.schedule s
          where s.company_id = c.id
            and s.name = w.name
            and s.app = w.app
            and s.kind = w.kind
            and s.cron = w.cron
            and s.timezone is not distinct from w.timezone
        )
      )
      or exists (
        select from core.schedule s
        where s.company_id = c.id
          and (
            not exists (select from wanted w where w.name = s.name)
            or s.next_at > '-infinity' and s.reckoned_zone is distinct from coalesce(s.timezone, c.timezone)
          )
      )
    )
  order by c.id
  limit 1000
$$;

comment on function core.companies_to_schedule() is
  'Active companies whose schedules are not what the apps want, or were reckoned in another time zone.';

revoke execute on function core.companies_to_schedule() from public;
grant execute on function core.companies_to_schedule() to fettle_worker;

grant create on schema core to fettle_auth;
alter function core.companies_to_schedule() owner to fettle_auth;
revoke create on schema core from fettle_auth;
