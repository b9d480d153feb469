-- Jobs that are not in their lane: deferred ones, ended ones, cancellations, keys, and where the queue is at home.

-- What the queue keeps aside: jobs whose time has not come, jobs that have ended, keys, what was called off or begun.
-- Jobs whose time has not come. They are posted, and their row deleted, when it has.
create table core.job_wait (
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
  primary key (company_id, id)
) with (autovacuum_vacuum_scale_factor = 0.02);

create index job_wait_due on core.job_wait (run_at);
create index job_wait_later on core.job_wait (queue, kind, created_at, id) where attempt = 0;
create index job_wait_again on core.job_wait (queue, kind, created_at, id) where attempt > 0;
create index job_wait_company_later on core.job_wait (company_id, queue, kind, created_at, id) where attempt = 0;
create index job_wait_company_again on core.job_wait (company_id, queue, kind, created_at, id) where attempt > 0;

comment on table  core.job_wait is 'Jobs whose time has not come: enqueued for later, or to be tried again.';
comment on column core.job_wait.company_id is 'As in core.job_post.';
comment on column core.job_wait.id is 'As in core.job_post.';
comment on column core.job_wait.round is 'Which post it will be.';
comment on column core.job_wait.run_at is 'Not before.';
comment on column core.job_wait.lane is 'As in core.job_post.';
comment on column core.job_wait.queue is 'As in core.job_post.';
comment on column core.job_wait.kind is 'As in core.job_post.';
comment on column core.job_wait.priority is 'As in core.job_post.';
comment on column core.job_wait.attempt is 'As in core.job_post; from 1 on it is to be tried again.';
comment on column core.job_wait.max_attempts is 'As in core.job_post.';
comment on column core.job_wait.is_alone is 'As in core.job_post.';
comment on column core.job_wait.unique_key is 'As in core.job_post.';
comment on column core.job_wait.created_at is 'As in core.job_post.';
comment on column core.job_wait.cause_type is 'As in core.job_post.';
comment on column core.job_wait.cause_id is 'As in core.job_post.';
comment on column core.job_wait.trace_id is 'As in core.job_post.';
comment on column core.job_wait.payload is 'As in core.job_post.';

alter table core.job_wait enable row level security;
alter table core.job_wait force row level security;
create policy tenant on core.job_wait to fettle_app, fettle_worker
  using (company_id = (select core.current_company()))
  with check (company_id = (select core.current_company()));
create policy operator_select on core.job_wait for select to fettle_admin using (true);
create policy operator_insert on core.job_wait for insert to fettle_admin
  with check (company_id = (select core.current_company()));
create policy operator_update on core.job_wait for update to fettle_admin
  using (company_id = (select core.current_company()))
  with check (company_id = (select core.current_company()));
create policy operator_delete on core.job_wait for delete to fettle_admin
  using (company_id = (select core.current_company()));
create policy doors on core.job_wait to fettle_auth using (true) with check (true);
grant select, insert, update (run_at), delete on core.job_wait to fettle_app, fettle_worker, fettle_auth;
grant select (company_id, id, round, run_at, lane, queue, kind, priority, attempt, max_attempts, is_alone,
  unique_key, created_at, cause_type, cause_id, trace_id), insert, update (run_at), delete on core.job_wait
  to fettle_admin;

-- Jobs that ended otherwise than by succeeding, with all that is needed to post them again.
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
  primary key (company_id, id)
);

create index job_end_state on core.job_end (state, finished_at);
create index job_end_kind on core.job_end (state, queue, kind, finished_at, id);
create index job_end_company on core.job_end (company_id, state, queue, kind, finished_at, id);

comment on table  core.job_end is 'Jobs that are dead or cancelled, until somebody has them tried again; and those that were taken over.';
comment on column core.job_end.company_id is 'As in core.job_post.';
comment on column core.job_end.id is 'As in core.job_post.';
comment on column core.job_end.round is 'Its last post.';
comment on column core.job_end.state is 'dead or cancelled; succeeded where it was taken over from another queue.';
comment on column core.job_end.finished_at is 'When it ended.';
comment on column core.job_end.lane is 'As in core.job_post.';
comment on column core.job_end.queue is 'As in core.job_post.';
comment on column core.job_end.kind is 'As in core.job_post.';
comment on column core.job_end.priority is 'As in core.job_post.';
comment on column core.job_end.attempt is 'How often it was begun.';
comment on column core.job_end.max_attempts is 'As in core.job_post.';
comment on column core.job_end.unique_key is 'The key it held.';
comment on column core.job_end.created_at is 'As in core.job_post.';
comment on column core.job_end.cause_type is 'As in core.job_post.';
comment on column core.job_end.cause_id is 'As in core.job_post.';
comment on column core.job_end.trace_id is 'As in core.job_post.';
comment on column core.job_end.payload is 'As in core.job_post.';

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
create policy doors on core.job_end to fettle_auth using (true) with check (true);
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

comment on table  core.job_key is 'Keys of jobs: at most one of a kind and key is open in a company, or begun within a time.';
comment on column core.job_key.company_id is 'The company.';
comment on column core.job_key.kind is 'The kind of job.';
comment on column core.job_key.key is 'The key.';
comment on column core.job_key.job_id is 'The job that holds it.';
comment on column core.job_key.until is 'It is held until then, also when the job has ended before; null: until it has ended.';
comment on column core.job_key.is_ended is 'The job has ended, and the key is held for its time only.';

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
create policy doors on core.job_key to fettle_auth using (true) with check (true);
grant select, insert, update (job_id, until, is_ended), delete on core.job_key to fettle_app, fettle_worker,
  fettle_admin, fettle_auth;

-- Calls off a posted job: whoever claims its slice leaves it out, and who runs it ends it.
create table core.job_stop (
  company_id uuid        not null,
  id         uuid        not null,
  round      integer     not null,
  at         timestamptz not null default now(),
  worker_id  uuid,
  primary key (company_id, id, round)
);

create index job_stop_worker on core.job_stop (worker_id) where worker_id is not null;

comment on table  core.job_stop is 'Posted jobs that were called off.';
comment on column core.job_stop.company_id is 'The company.';
comment on column core.job_stop.id is 'The job.';
comment on column core.job_stop.round is 'The post that is called off.';
comment on column core.job_stop.at is 'When.';
comment on column core.job_stop.worker_id is 'Who was at it, and is to end it; null: nobody had claimed it.';

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
create policy doors on core.job_stop to fettle_auth using (true) with check (true);
grant select, insert, delete on core.job_stop to fettle_app, fettle_worker, fettle_admin, fettle_auth;

-- Written before a job begins that is claimed alone because a worker died that had it: if this one dies too, the death is
-- counted against a job that was begun, and never against one that only lay there.
create table core.job_begin (
  company_id uuid        not null,
  id         uuid        not null,
  no         bigint      not null,
  lane       uuid        not null,
  at         timestamptz not null default clock_timestamp(),
  primary key (company_id, id, no)
);

comment on table  core.job_begin is 'Jobs under suspicion that were begun.';
comment on column core.job_begin.company_id is 'The company.';
comment on column core.job_begin.id is 'The job.';
comment on column core.job_begin.no is 'The claim that it was begun in.';
comment on column core.job_begin.lane is 'The lane of that.';
comment on column core.job_begin.at is 'When.';

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
create policy doors on core.job_begin to fettle_auth using (true) with check (true);
grant select, insert, delete on core.job_begin to fettle_auth;

create table core.job_home (
  company_id uuid not null primary key,
  xid        xid8 not null default pg_current_xact_id()
);

comment on table  core.job_home is 'Where the queue is at home: one row, which tells whether it was restored from a dump.';
comment on column core.job_home.company_id is 'The system company.';
comment on column core.job_home.xid is 'The transaction that wrote this row, if the row has not been restored since.';

insert into core.job_home (company_id) values ('00000000-0000-7000-8000-000000000000');

alter table core.job_home enable row level security;
alter table core.job_home force row level security;
create policy tenant on core.job_home for select to fettle_app, fettle_worker
  using (company_id = (select core.current_company()));
create policy operator_select on core.job_home for select to fettle_admin using (true);
create policy doors on core.job_home to fettle_auth using (true) with check (true);
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

-- A gap: so many posts of the lane were looked at up to here, and what comes behind is not known yet.
create type core.job_place as (company_id uuid, lane uuid, xid xid8, id uuid, is_gap boolean);

comment on type core.job_line is 'A job as lists show it.';
comment on type core.job_place is 'Where in the order of lists a posted job is, or how far somebody looked.';
