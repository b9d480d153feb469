-- The queue: enqueuing, claiming and acknowledging jobs only insert rows.
--
-- A job is *enqueued* as one row, inserted in the transaction of its cause. Rows of one company, queue, kind and
-- priority form a *lane*. A worker *claims* the next batch of a lane by inserting one row that describes the
-- batch: the rows that a later snapshot sees and an earlier one does not, behind a position, ordered by
-- transaction and id. One cursor is not sufficient, because transactions do not commit in the order in which they
-- begin; with two snapshots, a row that commits late belongs to a later batch and is never skipped. The first
-- *acknowledgement* of a claim ends it, whether the worker or the rescue of a lost worker inserts it: its key is
-- the fence. Deferred and ended jobs are in tables of their own; when they run again, they are enqueued as new
-- rows. Queued rows, claims and acknowledgements are partitioned by week, and retention drops whole partitions.

create table core.worker (
  id           uuid        primary key,
  host         text        not null,
  pid          integer     not null,
  started_at   timestamptz not null default now(),
  heartbeat_at timestamptz not null default now(),
  lease_until  timestamptz not null default now(),
  oldest_batch bigint      not null default 0,
  queues       text[]      not null
);

comment on table  core.worker is
  'Registered worker processes; a lost worker stays until it is rescued. Global, no company.';
comment on column core.worker.id is 'Id of the process, new at every start.';
comment on column core.worker.host is 'Host name of the process.';
comment on column core.worker.pid is 'Process id on the host.';
comment on column core.worker.started_at is 'Start time of the process.';
comment on column core.worker.heartbeat_at is 'Time of the last heartbeat.';
comment on column core.worker.lease_until is
  'End of the lease, extended by heartbeats; after it the worker is lost, and its claims are rescued.';
comment on column core.worker.oldest_batch is 'Oldest batch that may have unacknowledged claims.';
comment on column core.worker.queues is 'Queues that the worker serves.';

grant select on core.worker to fettle_app, fettle_admin;
grant select, insert, update, delete on core.worker to fettle_worker;
grant select, update (lease_until), delete on core.worker to fettle_auth;

create table core.job_queued (
  week         date        not null default date_trunc('week', now())::date,
  company_id   uuid        not null,
  lane         uuid        not null,
  xid          xid8        not null default pg_current_xact_id(),
  id           uuid        not null,
  round        integer     not null default 1 check (round > 0),
  queue        text        not null check (queue ~ '^[a-z][a-z0-9_-]{0,62}$'),
  kind         text        not null check (kind ~ '^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*$'),
  priority     smallint    not null check (priority between 1 and 4),
  attempt      integer     not null default 0 check (attempt >= 0),
  max_attempts integer     not null check (max_attempts between 1 and 1000),
  is_alone     boolean     not null default false,
  unique_key   text        check (length(unique_key) between 1 and 200),
  created_at   timestamptz not null default now(),
  ready_at    timestamptz not null default now(),
  cause_type   text,
  cause_id     uuid,
  trace_id     text,
  payload      jsonb       not null,
  primary key (company_id, id, round, week),
  -- A worker runs a row for the company of its lane. The first half of a lane is the second half of its company:
  -- this costs nothing, whereas computing the whole lane costs 7 % of an insert.
  constraint job_queued_lane_of_company
    check (substring(uuid_send(lane), 1, 8) = substring(uuid_send(company_id), 9, 8))
) partition by range (week);

create index job_queued_lane on core.job_queued (lane, xid, id);
create index job_queued_xid on core.job_queued (xid);
create index job_queued_again on core.job_queued (lane, xid, id) where attempt > 0;

comment on table  core.job_queued is
  'Queued rows: one for each time that a job is enqueued, kept after it is claimed. Insert only.';
comment on column core.job_queued.week is
  'Monday of the week in which the row was inserted; chooses the partition.';
comment on column core.job_queued.company_id is
  'Company that the job runs for; the system company for the engine''s own jobs.';
comment on column core.job_queued.lane is
  'Lane of the job, computed by core.job_lane() from company, queue, kind and priority; begins with the company.';
comment on column core.job_queued.xid is 'Transaction that enqueued the row.';
comment on column core.job_queued.id is 'Id of the job; also its idempotency key towards other systems.';
comment on column core.job_queued.round is
  'Number of the row within the job, from 1; grows each time the job is enqueued again.';
comment on column core.job_queued.queue is 'Queue, which decides which workers run the job.';
comment on column core.job_queued.kind is 'Kind, which decides which handler runs the job.';
comment on column core.job_queued.priority is 'Priority: 1 urgent, 2 normal, 3 low, 4 when idle.';
comment on column core.job_queued.attempt is 'Number of earlier attempts.';
comment on column core.job_queued.max_attempts is 'Number of failed attempts after which the job is dead.';
comment on column core.job_queued.is_alone is
  'True if the job is claimed alone because a worker was lost with it, to find out whether it kills workers.';
comment on column core.job_queued.unique_key is 'Unique key held in core.job_key; null if none.';
comment on column core.job_queued.created_at is 'Time at which the job was created.';
comment on column core.job_queued.ready_at is 'Time at which the row was enqueued.';
comment on column core.job_queued.cause_type is 'Type of the record that caused the job; null if none.';
comment on column core.job_queued.cause_id is 'Record that caused the job; null if none.';
comment on column core.job_queued.trace_id is 'Trace of the request that caused the job; null if none.';
comment on column core.job_queued.payload is
  'Input of the handler: ids, never permissions. Readable inside the company only.';

alter table core.job_queued enable row level security;
alter table core.job_queued force row level security;
create policy tenant on core.job_queued to fettle_app, fettle_worker
  using (company_id = (select core.current_company()))
  with check (company_id = (select core.current_company()));
create policy operator_select on core.job_queued for select to fettle_admin using (true);
create policy operator_insert on core.job_queued for insert to fettle_admin
  with check (company_id = (select core.current_company()));
create policy operator_update on core.job_queued for update to fettle_admin
  using (company_id = (select core.current_company()))
  with check (company_id = (select core.current_company()));
create policy operator_delete on core.job_queued for delete to fettle_admin
  using (company_id = (select core.current_company()));
create policy auth on core.job_queued to fettle_auth using (true) with check (true);
-- The week and the transaction place a row within its lane, so nobody but the queue's own functions chooses them.
grant select,
  insert (company_id, lane, id, round, queue, kind, priority, attempt, max_attempts, is_alone, unique_key, created_at,
    ready_at, cause_type, cause_id, trace_id, payload)
  on core.job_queued to fettle_app, fettle_worker;
grant select (week, company_id, lane, xid, id, round, queue, kind, priority, attempt, max_attempts, is_alone,
  unique_key, created_at, ready_at, cause_type, cause_id, trace_id),
  insert (company_id, lane, id, round, queue, kind, priority, attempt, max_attempts, is_alone, unique_key, created_at,
    ready_at, cause_type, cause_id, trace_id, payload)
  on core.job_queued to fettle_admin;
grant select, insert, delete on core.job_queued to fettle_auth;

create table core.job_claim (
  week       date        not null default date_trunc('week', now())::date,
  company_id uuid        not null,
  lane       uuid        not null,
  no         bigint      not null check (no > 0),
  worker_id  uuid        not null,
  batch      bigint      not null,
  at         timestamptz not null default clock_timestamp(),
  before     pg_snapshot not null,
  upto       pg_snapshot not null,
  after_xid  xid8        not null,
  after_id   uuid        not null,
  last_xid   xid8        not null,
  last_id    uuid        not null,
  last_week  date        not null default date_trunc('week', now())::date,
  jobs       integer     not null check (jobs > 0),
  primary key (company_id, lane, no, week),
  constraint job_claim_lane_of_company
    check (substring(uuid_send(lane), 1, 8) = substring(uuid_send(company_id), 9, 8))
) partition by range (week);

create index job_claim_worker on core.job_claim (worker_id, batch);
create index job_claim_last on core.job_claim (lane, last_xid, last_id);
create index job_claim_at on core.job_claim (at);

comment on table  core.job_claim is 'Claims: batches of lanes that workers have taken. Insert only.';
comment on column core.job_claim.week is 'Monday of the week of the claim; chooses the partition.';
comment on column core.job_claim.company_id is 'The company of the lane.';
comment on column core.job_claim.lane is 'The lane.';
comment on column core.job_claim.no is
  'Number of the claim, increasing within the lane and never reused; the fence of its jobs.';
comment on column core.job_claim.worker_id is 'Worker that made the claim.';
comment on column core.job_claim.batch is
  'Number of the worker''s request, which may claim from several lanes; increases with each request.';
comment on column core.job_claim.at is 'Time of the claim.';
comment on column core.job_claim.before is 'Earlier snapshot: rows visible in it belong to earlier claims.';
comment on column core.job_claim.upto is 'Later snapshot: rows not visible in it belong to later claims.';
comment on column core.job_claim.after_xid is
  'Transaction of the position behind which the batch begins.';
comment on column core.job_claim.after_id is 'Id of the position behind which the batch begins.';
comment on column core.job_claim.last_xid is 'Transaction of the last row of the batch.';
comment on column core.job_claim.last_id is 'Id of the last row of the batch.';
comment on column core.job_claim.last_week is
  'Week of the last row; rows of later claims are at most one week older.';
comment on column core.job_claim.jobs is 'Number of jobs in the batch.';

alter table core.job_claim enable row level security;
alter table core.job_claim force row level security;
create policy tenant on core.job_claim to fettle_app, fettle_worker
  using (company_id = (select core.current_company()))
  with check (company_id = (select core.current_company()));
create policy operator_select on core.job_claim for select to fettle_admin using (true);
create policy operator_insert on core.job_claim for insert to fettle_admin
  with check (company_id = (select core.current_company()));
create policy operator_update on core.job_claim for update to fettle_admin
  using (company_id = (select core.current_company()))
  with check (company_id = (select core.current_company()));
create policy operator_delete on core.job_claim for delete to fettle_admin
  using (company_id = (select core.current_company()));
create policy auth on core.job_claim to fettle_auth using (true) with check (true);
grant select on core.job_claim to fettle_app, fettle_worker, fettle_admin;
grant select, insert, update (at), delete on core.job_claim to fettle_auth;

create table core.job_ack (
  week       date        not null,
  company_id uuid        not null,
  lane       uuid        not null,
  no         bigint      not null,
  at         timestamptz not null default clock_timestamp(),
  outcome    text        not null check (outcome in ('finished', 'lost')),
  has_success boolean    not null default true,
  primary key (company_id, lane, no, week),
  constraint job_ack_lane_of_company
    check (substring(uuid_send(lane), 1, 8) = substring(uuid_send(company_id), 9, 8))
) partition by range (week);

comment on table  core.job_ack is 'Acknowledgements of claims. Insert only; the first one counts.';
comment on column core.job_ack.week is 'Week of the claim; chooses the partition.';
comment on column core.job_ack.company_id is 'The company.';
comment on column core.job_ack.lane is 'The lane.';
comment on column core.job_ack.no is 'Number of the claim.';
comment on column core.job_ack.at is 'Time of the acknowledgement.';
comment on column core.job_ack.outcome is
  'finished: jobs without an attempt row succeeded; lost: the claim ended early, and unfinished jobs are enqueued.';
comment on column core.job_ack.has_success is
  'True if a job of the claim succeeded or the outcome is unknown; false if none succeeded.';

alter table core.job_ack enable row level security;
alter table core.job_ack force row level security;
create policy tenant on core.job_ack to fettle_app, fettle_worker
  using (company_id = (select core.current_company()))
  with check (company_id = (select core.current_company()));
create policy operator_select on core.job_ack for select to fettle_admin using (true);
create policy operator_insert on core.job_ack for insert to fettle_admin
  with check (company_id = (select core.current_company()));
create policy operator_update on core.job_ack for update to fettle_admin
  using (company_id = (select core.current_company()))
  with check (company_id = (select core.current_company()));
create policy operator_delete on core.job_ack for delete to fettle_admin
  using (company_id = (select core.current_company()));
create policy auth on core.job_ack to fettle_auth using (true) with check (true);
grant select on core.job_ack to fettle_app, fettle_admin;
grant select, insert on core.job_ack to fettle_worker;
grant select, insert, delete on core.job_ack to fettle_auth;

create table core.job_attempt (
  week        date        not null default date_trunc('week', now())::date,
  company_id  uuid        not null,
  job_id      uuid        not null,
  attempt     integer     not null check (attempt > 0),
  fence       bigint      not null,
  worker_id   uuid,
  started_at  timestamptz not null,
  finished_at timestamptz,
  outcome     text        check (outcome in ('succeeded', 'failed', 'snoozed', 'lost', 'cancelled')),
  error       text,
  primary key (company_id, job_id, attempt, fence, week)
) partition by range (week);

comment on table  core.job_attempt is
  'Attempts of jobs with times and outcomes. The acknowledged claim alone records a success without effects.';
comment on column core.job_attempt.week is 'Monday of the week in which the attempt ended; chooses the partition.';
comment on column core.job_attempt.company_id is 'The company.';
comment on column core.job_attempt.job_id is 'The job.';
comment on column core.job_attempt.attempt is
  'Number of the attempt, from 1; the attempt after a snoozed one has the same number.';
comment on column core.job_attempt.fence is 'Number of the claim that contained the attempt.';
comment on column core.job_attempt.worker_id is 'Worker that made the attempt.';
comment on column core.job_attempt.started_at is 'Start of the attempt.';
comment on column core.job_attempt.finished_at is 'End of the attempt.';
comment on column core.job_attempt.outcome is
  'Outcome: succeeded, failed, snoozed, lost (with its worker) or cancelled.';
comment on column core.job_attempt.error is
  'Error of a failed or lost attempt, or reason for a snooze; null if none.';

alter table core.job_attempt enable row level security;
alter table core.job_attempt force row level security;
create policy auth on core.job_attempt to fettle_auth using (true) with check (true);
create policy tenant on core.job_attempt to fettle_app, fettle_worker
  using (company_id = (select core.current_company()))
  with check (company_id = (select core.current_company()));
create policy operator_select on core.job_attempt for select to fettle_admin using (true);
grant select on core.job_attempt to fettle_app;
grant select,
  insert (company_id, job_id, attempt, fence, worker_id, started_at, finished_at, outcome, error)
  on core.job_attempt to fettle_worker;
grant select, insert on core.job_attempt to fettle_auth;
grant select (company_id, job_id, attempt, fence, worker_id, started_at, finished_at, outcome)
  on core.job_attempt to fettle_admin;

create table core.job_note (
  week       date             not null default date_trunc('week', now())::date,
  company_id uuid             not null,
  job_id     uuid             not null,
  id         uuid             not null default gen_random_uuid(),
  at         timestamptz      not null default clock_timestamp(),
  attempt    integer          not null check (attempt > 0),
  done       double precision check (done between 0 and 1),
  text       text             check (length(text) between 1 and 4000),
  primary key (company_id, job_id, id, week),
  check (done is not null or text is not null)
) partition by range (week);

comment on table  core.job_note is 'Progress that running jobs report. Insert only.';
comment on column core.job_note.week is 'Monday of the week of the note; chooses the partition.';
comment on column core.job_note.company_id is 'The company.';
comment on column core.job_note.job_id is 'The job.';
comment on column core.job_note.id is 'Key of the note.';
comment on column core.job_note.at is 'Time of the note.';
comment on column core.job_note.attempt is 'Attempt that wrote the note.';
comment on column core.job_note.done is 'Completed share of the job, from 0 to 1; null if not given.';
comment on column core.job_note.text is 'Message of the handler; null if none.';

select core.attach_tenant_table('core.job_note');
grant select on core.job_note to fettle_app, fettle_admin;
grant select, insert (company_id, job_id, id, attempt, at, done, text) on core.job_note to fettle_worker;

-- Creates the partitions of the previous, this and the next week; core.keep_job_weeks() creates later ones.
-- Rows of a week without a partition go to the default partition. No role has rights on a partition itself.
select core.open_job_week((date_trunc('week', now()) + n * interval '1 week')::date) from generate_series(-1, 1) n;

do $$
declare
  parent text;
begin
  foreach parent in array array['job_queued', 'job_claim', 'job_ack', 'job_attempt', 'job_note'] loop
    execute format('create table core.%I partition of core.%I default', parent || '_rest', parent);
    execute format('alter table core.%I enable row level security', parent || '_rest');
    execute format('alter table core.%I force row level security', parent || '_rest');
  end loop;
end
$$;
