-- Jobs outside their lane (deferred and ended), unique keys, cancellations, recorded starts, and the server that
-- the queue belongs to.

-- A deferred job that is due is enqueued, and its row here is deleted.
create table core.job_deferred (
  company_id   uuid        not null,
  id           uuid        not null,
  round        integer     not null check (round > 0),
  run_at       timestamptz not null,
  lane         uuid        not null,
  queue        text        not null check (queue ~ '^[a-z][a-z0-9_-]{0,62}$'),
  kind         text        not null check (kind ~ '^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*$'),
  priority     smallint    not null check (priority between 1 and 4),
  attempt      integer     not null default 0 check (attempt >= 0),
  max_attempts integer     not null check (max_attempts between 1 and 1000),
  is_alone     boolean     not null default false,
  unique_key   text        check (length(unique_key) between 1 and 200),
  created_at   timestamptz not null default now(),
  cause_type   text,
  cause_id     uuid,
  trace_id     text,
  payload      jsonb       not null,
  primary key (company_id, id),
  constraint job_deferred_lane_of_company
    check (substring(uuid_send(lane), 1, 8) = substring(uuid_send(company_id), 9, 8))
) with (autovacuum_vacuum_scale_factor = 0.02);

create index job_deferred_due on core.job_deferred (run_at);
create index job_deferred_later on core.job_deferred (queue, kind, created_at, id) where attempt = 0;
create index job_deferred_again on core.job_deferred (queue, kind, created_at, id) where attempt > 0;
create index job_deferred_company_later on core.job_deferred (company_id, queue, kind, created_at, id) where attempt = 0;
create index job_deferred_company_again on core.job_deferred (company_id, queue, kind, created_at, id) where attempt > 0;

comment on table  core.job_deferred is
  'Deferred jobs: scheduled for later, postponed or waiting for a retry.';
comment on column core.job_deferred.company_id is 'As in core.job_queued.';
comment on column core.job_deferred.id is 'As in core.job_queued.';
comment on column core.job_deferred.round is 'Number of the row that the job will be enqueued as.';
comment on column core.job_deferred.run_at is 'Earliest start time.';
comment on column core.job_deferred.lane is 'As in core.job_queued.';
comment on column core.job_deferred.queue is 'As in core.job_queued.';
comment on column core.job_deferred.kind is 'As in core.job_queued.';
comment on column core.job_deferred.priority is 'As in core.job_queued.';
comment on column core.job_deferred.attempt is 'As in core.job_queued; 1 or more for a retry.';
comment on column core.job_deferred.max_attempts is 'As in core.job_queued.';
comment on column core.job_deferred.is_alone is 'As in core.job_queued.';
comment on column core.job_deferred.unique_key is 'As in core.job_queued.';
comment on column core.job_deferred.created_at is 'As in core.job_queued.';
comment on column core.job_deferred.cause_type is 'As in core.job_queued.';
comment on column core.job_deferred.cause_id is 'As in core.job_queued.';
comment on column core.job_deferred.trace_id is 'As in core.job_queued.';
comment on column core.job_deferred.payload is 'As in core.job_queued.';

alter table core.job_deferred enable row level security;
alter table core.job_deferred force row level security;
create policy tenant on core.job_deferred to fettle_app, fettle_worker
  using (company_id = (select core.current_company()))
  with check (company_id = (select core.current_company()));
create policy operator_select on core.job_deferred for select to fettle_admin using (true);
create policy operator_insert on core.job_deferred for insert to fettle_admin
  with check (company_id = (select core.current_company()));
create policy operator_update on core.job_deferred for update to fettle_admin
  using (company_id = (select core.current_company()))
  with check (company_id = (select core.current_company()));
create policy operator_delete on core.job_deferred for delete to fettle_admin
  using (company_id = (select core.current_company()));
create policy auth on core.job_deferred to fettle_auth using (true) with check (true);
grant select, insert, update (run_at), delete on core.job_deferred to fettle_app, fettle_worker, fettle_auth;
grant select (company_id, id, round, run_at, lane, queue, kind, priority, attempt, max_attempts, is_alone,
  unique_key, created_at, cause_type, cause_id, trace_id), insert, update (run_at), delete on core.job_deferred
  to fettle_admin;

-- Ended jobs, with everything that is needed to enqueue them again.
create table core.job_end (
  company_id   uuid        not null,
  id           uuid        not null,
  round        integer     not null check (round > 0),
  state        text        not null check (state in ('succeeded', 'dead', 'cancelled')),
  finished_at  timestamptz not null,
  lane         uuid        not null,
  queue        text        not null check (queue ~ '^[a-z][a-z0-9_-]{0,62}$'),
  kind         text        not null check (kind ~ '^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*$'),
  priority     smallint    not null check (priority between 1 and 4),
  attempt      integer     not null check (attempt >= 0),
  max_attempts integer     not null check (max_attempts between 1 and 1000),
  unique_key   text        check (length(unique_key) between 1 and 200),
  created_at   timestamptz not null default now(),
  cause_type   text,
  cause_id     uuid,
  trace_id     text,
  payload      jsonb       not null,
  primary key (company_id, id),
  constraint job_end_lane_of_company
    check (substring(uuid_send(lane), 1, 8) = substring(uuid_send(company_id), 9, 8))
);

create index job_end_state on core.job_end (state, finished_at);
create index job_end_kind on core.job_end (state, queue, kind, finished_at, id);
create index job_end_company on core.job_end (company_id, state, queue, kind, finished_at, id);

comment on table  core.job_end is
  'Dead and cancelled jobs, until they are retried or expire; after a restore, also jobs that had succeeded.';
comment on column core.job_end.company_id is 'As in core.job_queued.';
comment on column core.job_end.id is 'As in core.job_queued.';
comment on column core.job_end.round is 'Number of the job''s last row.';
comment on column core.job_end.state is
  'State: dead, cancelled (or dismissed), or succeeded (before a restore).';
comment on column core.job_end.finished_at is 'Time at which the job ended.';
comment on column core.job_end.lane is 'As in core.job_queued.';
comment on column core.job_end.queue is 'As in core.job_queued.';
comment on column core.job_end.kind is 'As in core.job_queued.';
comment on column core.job_end.priority is 'As in core.job_queued.';
comment on column core.job_end.attempt is 'Number of attempts that started.';
comment on column core.job_end.max_attempts is 'As in core.job_queued.';
comment on column core.job_end.unique_key is 'Unique key that the job held; null if none.';
comment on column core.job_end.created_at is 'As in core.job_queued.';
comment on column core.job_end.cause_type is 'As in core.job_queued.';
comment on column core.job_end.cause_id is 'As in core.job_queued.';
comment on column core.job_end.trace_id is 'As in core.job_queued.';
comment on column core.job_end.payload is 'As in core.job_queued.';

alter table core.job_end enable row level security;
alter table core.job_end force row level security;
create policy tenant on core.job_end to fettle_app, fettle_worker
  using (company_id = (select core.current_company()))
  with check (company_id = (select core.current_company()));
create policy operator_select on core.job_end for select to fettle_admin using (true);
create policy operator_insert on core.job_end for insert to fettle_admin
  with check (company_id = (select core.current_company()));
create policy operator_update on core.job_end for update to fettle_admin
  using (company_id = (select core.current_company()))
  with check (company_id = (select core.current_company()));
create policy operator_delete on core.job_end for delete to fettle_admin
  using (company_id = (select core.current_company()));
create policy auth on core.job_end to fettle_auth using (true) with check (true);
grant select, insert, delete on core.job_end to fettle_app, fettle_worker;
grant select (company_id, id, round, state, finished_at, lane, queue, kind, priority, attempt, max_attempts,
  unique_key, created_at, cause_type, cause_id, trace_id), insert, delete on core.job_end to fettle_admin;
grant select, insert, update (state), delete on core.job_end to fettle_auth;

create table core.job_key (
  company_id uuid        not null,
  kind       text        not null,
  key        text        not null check (length(key) between 1 and 200),
  job_id     uuid        not null,
  until      timestamptz,
  is_ended   boolean     not null default false,
  primary key (company_id, kind, key)
);

comment on table  core.job_key is
  'Unique keys of jobs: per company, kind and key at most one open job, or one job in a period.';
comment on column core.job_key.company_id is 'The company.';
comment on column core.job_key.kind is 'Kind of job that the key applies to.';
comment on column core.job_key.key is 'The unique key.';
comment on column core.job_key.job_id is 'Job that holds the key.';
comment on column core.job_key.until is
  'End of the period in which the key stays taken even after the job has ended; null if the end of the job frees it.';
comment on column core.job_key.is_ended is 'True if the job has ended and the key is held for the rest of its period.';

alter table core.job_key enable row level security;
alter table core.job_key force row level security;
create policy tenant on core.job_key to fettle_app, fettle_worker
  using (company_id = (select core.current_company()))
  with check (company_id = (select core.current_company()));
create policy operator_select on core.job_key for select to fettle_admin using (true);
create policy operator_insert on core.job_key for insert to fettle_admin
  with check (company_id = (select core.current_company()));
create policy operator_update on core.job_key for update to fettle_admin
  using (company_id = (select core.current_company()))
  with check (company_id = (select core.current_company()));
create policy operator_delete on core.job_key for delete to fettle_admin
  using (company_id = (select core.current_company()));
create policy auth on core.job_key to fettle_auth using (true) with check (true);
grant select, insert, update (job_id, until, is_ended), delete on core.job_key to fettle_app, fettle_worker,
  fettle_admin, fettle_auth;

-- Written for a queued row that must not run: the job was cancelled or postponed. A claim still contains the row, and
-- its worker skips the job. If the job is running, its worker ends it.
create table core.job_stop (
  company_id uuid        not null,
  id         uuid        not null,
  round      integer     not null,
  at         timestamptz not null default now(),
  worker_id  uuid,
  primary key (company_id, id, round)
);

create index job_stop_worker on core.job_stop (worker_id) where worker_id is not null;

comment on table  core.job_stop is
  'Queued rows that must not run, because the job was cancelled or postponed.';
comment on column core.job_stop.company_id is 'The company.';
comment on column core.job_stop.id is 'The job.';
comment on column core.job_stop.round is 'Number of the row that must not run.';
comment on column core.job_stop.at is 'Time of the cancellation or postponement.';
comment on column core.job_stop.worker_id is
  'Worker that runs the job and has to end it; null if the row was not claimed.';

alter table core.job_stop enable row level security;
alter table core.job_stop force row level security;
create policy tenant on core.job_stop to fettle_app, fettle_worker
  using (company_id = (select core.current_company()))
  with check (company_id = (select core.current_company()));
create policy operator_select on core.job_stop for select to fettle_admin using (true);
create policy operator_insert on core.job_stop for insert to fettle_admin
  with check (company_id = (select core.current_company()));
create policy operator_update on core.job_stop for update to fettle_admin
  using (company_id = (select core.current_company()))
  with check (company_id = (select core.current_company()));
create policy operator_delete on core.job_stop for delete to fettle_admin
  using (company_id = (select core.current_company()));
create policy auth on core.job_stop to fettle_auth using (true) with check (true);
grant select, insert (company_id, id, round), delete on core.job_stop to fettle_app, fettle_worker, fettle_admin;
grant select, insert, delete on core.job_stop to fettle_auth;

-- Written before the start of a job that is claimed alone because a worker was lost with it. If this worker dies
-- too, the attempt counts towards the poison limit, since the job definitely started.
create table core.job_begin (
  company_id uuid        not null,
  id         uuid        not null,
  no         bigint      not null,
  lane       uuid        not null,
  at         timestamptz not null default clock_timestamp(),
  primary key (company_id, id, no),
  constraint job_begin_lane_of_company
    check (substring(uuid_send(lane), 1, 8) = substring(uuid_send(company_id), 9, 8))
);

comment on table  core.job_begin is 'Recorded starts of jobs that may have killed a worker.';
comment on column core.job_begin.company_id is 'The company.';
comment on column core.job_begin.id is 'The job.';
comment on column core.job_begin.no is 'Number of the claim in which the job started.';
comment on column core.job_begin.lane is 'Lane of the claim.';
comment on column core.job_begin.at is 'Start time of the job.';

alter table core.job_begin enable row level security;
alter table core.job_begin force row level security;
create policy tenant on core.job_begin to fettle_app, fettle_worker
  using (company_id = (select core.current_company()))
  with check (company_id = (select core.current_company()));
create policy operator_select on core.job_begin for select to fettle_admin using (true);
create policy operator_insert on core.job_begin for insert to fettle_admin
  with check (company_id = (select core.current_company()));
create policy operator_update on core.job_begin for update to fettle_admin
  using (company_id = (select core.current_company()))
  with check (company_id = (select core.current_company()));
create policy operator_delete on core.job_begin for delete to fettle_admin
  using (company_id = (select core.current_company()));
create policy auth on core.job_begin to fettle_auth using (true) with check (true);
grant select, insert, delete on core.job_begin to fettle_auth;

create table core.job_home (
  company_id uuid not null primary key,
  xid        xid8 not null default pg_current_xact_id()
);

comment on table  core.job_home is 'One row, which reveals that the queue was restored from a dump.';
comment on column core.job_home.company_id is 'The system company.';
comment on column core.job_home.xid is
  'Transaction that wrote this row; after a restore, differs from the row''s xmin.';

insert into core.job_home (company_id) values ('00000000-0000-7000-8000-000000000000');

alter table core.job_home enable row level security;
alter table core.job_home force row level security;
create policy tenant on core.job_home for select to fettle_app, fettle_worker
  using (company_id = (select core.current_company()));
create policy operator_select on core.job_home for select to fettle_admin using (true);
create policy auth on core.job_home to fettle_auth using (true) with check (true);
grant select on core.job_home to fettle_admin;
grant select, update (xid) on core.job_home to fettle_auth;

-- Row types of the functions that list jobs.
create type core.job_line as (
  company_id   uuid,
  id           uuid,
  round        integer,
  queue        text,
  kind         text,
  state        text,
  priority     smallint,
  attempt      integer,
  max_attempts integer,
  run_at       timestamptz,
  created_at   timestamptz,
  finished_at  timestamptz,
  worker_id    uuid,
  lane         uuid,
  xid          xid8
);

-- is_gap: the lane has been read up to this place; rows behind it are not known yet.
create type core.job_place as (company_id uuid, lane uuid, xid xid8, id uuid, is_gap boolean);

comment on type core.job_line is 'Job as shown in lists.';
comment on type core.job_place is
  'Position of a queued row in the order of lists, or the position up to which a lane has been read.';
