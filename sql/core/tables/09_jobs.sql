-- The queue: nothing on its hot path is ever updated or deleted.
--
-- A job is *posted*: one row, inserted in the transaction of its cause. Posts of one company, queue, kind and
-- priority form a *lane*. A worker *claims* the next slice of a lane with one row, which says what the slice is:
-- everything that was committed by one snapshot and not by the one before, behind a position, in the order of
-- transaction and id. Two snapshots rather than one cursor, because transactions commit in another order than they
-- begin: what commits late belongs to a later slice, and is never passed over. Whoever *settles* a claim first
-- decides its end, the worker that has it or the one that takes it for lost: the settlement's key is the fence.
-- What waits for its time, is to be tried again or has ended badly is kept elsewhere, and comes back as a new post.
-- Posts, claims and settlements lie in partitions by week, which retention drops whole.

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

comment on table  core.worker is 'Worker processes that are alive, or were lately. Global, no company.';
comment on column core.worker.id is 'Made anew at every start.';
comment on column core.worker.host is 'Where it runs.';
comment on column core.worker.pid is 'Its process there.';
comment on column core.worker.started_at is 'Since when.';
comment on column core.worker.heartbeat_at is 'When it last said that it is alive.';
comment on column core.worker.lease_until is 'After this it is taken for lost, unless it says before that it is alive.';
comment on column core.worker.oldest_batch is 'All batches of claims before this one are settled.';
comment on column core.worker.queues is 'The queues it serves.';

grant select on core.worker to fettle_app, fettle_admin;
grant select, insert, update, delete on core.worker to fettle_worker;
grant select, update (lease_until), delete on core.worker to fettle_auth;

create table core.job_post (
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
  posted_at    timestamptz not null default now(),
  cause_type   text,
  cause_id     uuid,
  trace_id     text,
  payload      jsonb       not null,
  primary key (company_id, id, round, week)
) partition by range (week);

create index job_post_lane on core.job_post (lane, xid, id);
create index job_post_xid on core.job_post (xid);
create index job_post_again on core.job_post (lane, xid, id) where attempt > 0;

comment on table  core.job_post is 'Jobs to be claimed, as they were posted. Insert only.';
comment on column core.job_post.week is 'The Monday of the week it was posted in, which chooses the partition.';
comment on column core.job_post.company_id is 'The company it is done for; the system company for the engine''s own.';
comment on column core.job_post.lane is 'Its lane: made from company, queue, kind and priority by core.job_lane().';
comment on column core.job_post.xid is 'The transaction that posted it.';
comment on column core.job_post.id is 'Key of the job; also its idempotency key towards others.';
comment on column core.job_post.round is 'Which post of this job it is, from 1: it is posted anew for every attempt.';
comment on column core.job_post.queue is 'Which workers take it.';
comment on column core.job_post.kind is 'Which handler runs it.';
comment on column core.job_post.priority is '1 urgent, 2 normal, 3 low, 4 when idle.';
comment on column core.job_post.attempt is 'How often it was begun before.';
comment on column core.job_post.max_attempts is 'After so many failures it is dead.';
comment on column core.job_post.is_alone is
  'A worker died that had it among others: it is claimed by itself, so that the next death names the culprit.';
comment on column core.job_post.unique_key is 'The key it holds in core.job_key; null: none.';
comment on column core.job_post.created_at is 'When it was enqueued first.';
comment on column core.job_post.posted_at is 'Since when it is ready.';
comment on column core.job_post.cause_type is 'Type of the record that caused it.';
comment on column core.job_post.cause_id is 'The record that caused it.';
comment on column core.job_post.trace_id is 'Trace of the request that caused it.';
comment on column core.job_post.payload is 'What it is about: ids for the handler, never rights. Read inside its company only.';

alter table core.job_post enable row level security;
alter table core.job_post force row level security;
create policy tenant on core.job_post to fettle_app, fettle_worker
  using (company_id = (select core.current_company()))
  with check (company_id = (select core.current_company()));
create policy operator_select on core.job_post for select to fettle_admin using (true);
create policy operator_insert on core.job_post for insert to fettle_admin
  with check (company_id = (select core.current_company()));
create policy operator_update on core.job_post for update to fettle_admin
  using (company_id = (select core.current_company()))
  with check (company_id = (select core.current_company()));
create policy operator_delete on core.job_post for delete to fettle_admin
  using (company_id = (select core.current_company()));
create policy doors on core.job_post to fettle_auth using (true) with check (true);
grant select, insert on core.job_post to fettle_app, fettle_worker;
grant select (week, company_id, lane, xid, id, round, queue, kind, priority, attempt, max_attempts, is_alone,
  unique_key, created_at, posted_at, cause_type, cause_id, trace_id), insert on core.job_post to fettle_admin;
grant select, insert, delete on core.job_post to fettle_auth;

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
  primary key (company_id, lane, no, week)
) partition by range (week);

create index job_claim_worker on core.job_claim (worker_id, batch);
create index job_claim_last on core.job_claim (lane, last_xid, last_id);
create index job_claim_at on core.job_claim (at);

comment on table  core.job_claim is 'Slices of lanes that workers took. Insert only.';
comment on column core.job_claim.week is 'The Monday of the week it was made in, which chooses the partition.';
comment on column core.job_claim.company_id is 'The company of the lane.';
comment on column core.job_claim.lane is 'The lane.';
comment on column core.job_claim.no is 'Grows with the claims of the lane, and is never given twice; the fence of its jobs.';
comment on column core.job_claim.worker_id is 'Who took it.';
comment on column core.job_claim.batch is 'What the worker took together; grows.';
comment on column core.job_claim.at is 'When.';
comment on column core.job_claim.before is 'What this snapshot saw was claimed before.';
comment on column core.job_claim.upto is 'What this snapshot does not see is claimed later.';
comment on column core.job_claim.after_xid is 'The slice begins behind this transaction and after_id.';
comment on column core.job_claim.after_id is 'The slice begins behind after_xid and this job.';
comment on column core.job_claim.last_xid is 'The transaction of its last job.';
comment on column core.job_claim.last_id is 'Its last job.';
comment on column core.job_claim.last_week is
  'The week in which that was posted: what follows was posted no more than a week before.';
comment on column core.job_claim.jobs is 'How many jobs it has.';

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
create policy doors on core.job_claim to fettle_auth using (true) with check (true);
grant select on core.job_claim to fettle_app, fettle_worker, fettle_admin;
grant select, insert, update (at), delete on core.job_claim to fettle_auth;

create table core.job_settlement (
  week       date        not null,
  company_id uuid        not null,
  lane       uuid        not null,
  no         bigint      not null,
  at         timestamptz not null default clock_timestamp(),
  outcome    text        not null check (outcome in ('finished', 'lost')),
  is_barren  boolean     not null default false,
  primary key (company_id, lane, no, week)
) partition by range (week);

comment on table  core.job_settlement is 'How claims ended. Insert only; the first one stands.';
comment on column core.job_settlement.week is 'The week of the claim.';
comment on column core.job_settlement.company_id is 'The company.';
comment on column core.job_settlement.lane is 'The lane.';
comment on column core.job_settlement.no is 'The claim.';
comment on column core.job_settlement.at is 'When.';
comment on column core.job_settlement.outcome is
  'finished: what has no attempt of its own succeeded; lost: its worker died, and what was not done was posted again.';
comment on column core.job_settlement.is_barren is
  'None of its jobs succeeded; false where one did, and where it is not known.';

alter table core.job_settlement enable row level security;
alter table core.job_settlement force row level security;
create policy tenant on core.job_settlement to fettle_app, fettle_worker
  using (company_id = (select core.current_company()))
  with check (company_id = (select core.current_company()));
create policy operator_select on core.job_settlement for select to fettle_admin using (true);
create policy operator_insert on core.job_settlement for insert to fettle_admin
  with check (company_id = (select core.current_company()));
create policy operator_update on core.job_settlement for update to fettle_admin
  using (company_id = (select core.current_company()))
  with check (company_id = (select core.current_company()));
create policy operator_delete on core.job_settlement for delete to fettle_admin
  using (company_id = (select core.current_company()));
create policy doors on core.job_settlement to fettle_auth using (true) with check (true);
grant select on core.job_settlement to fettle_app, fettle_admin;
grant select, insert on core.job_settlement to fettle_worker;
grant select, insert, delete on core.job_settlement to fettle_auth;

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
  'Attempts at jobs: who, when, how it ended. One without effects that succeeded is told by its claim alone.';
comment on column core.job_attempt.week is 'The Monday of the week it ended in, which chooses the partition.';
comment on column core.job_attempt.company_id is 'The company.';
comment on column core.job_attempt.job_id is 'The job.';
comment on column core.job_attempt.attempt is 'Which attempt, from 1; one that was put off does not count.';
comment on column core.job_attempt.fence is 'The claim it was part of.';
comment on column core.job_attempt.worker_id is 'Who made it.';
comment on column core.job_attempt.started_at is 'When it began.';
comment on column core.job_attempt.finished_at is 'When it ended.';
comment on column core.job_attempt.outcome is
  'succeeded, failed, snoozed (put off), lost (its worker died) or cancelled.';
comment on column core.job_attempt.error is 'What went wrong.';

alter table core.job_attempt enable row level security;
alter table core.job_attempt force row level security;
create policy doors on core.job_attempt to fettle_auth using (true) with check (true);
create policy tenant on core.job_attempt to fettle_app, fettle_worker
  using (company_id = (select core.current_company()))
  with check (company_id = (select core.current_company()));
create policy operator_select on core.job_attempt for select to fettle_admin using (true);
grant select on core.job_attempt to fettle_app;
grant select, insert on core.job_attempt to fettle_worker, fettle_auth;
grant select (company_id, job_id, attempt, fence, worker_id, started_at, finished_at, outcome)
  on core.job_attempt to fettle_admin;

-- What a job says while it runs.
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

comment on table  core.job_note is 'What jobs told of their progress. Insert only.';
comment on column core.job_note.week is 'The Monday of the week it was written in, which chooses the partition.';
comment on column core.job_note.company_id is 'The company.';
comment on column core.job_note.job_id is 'The job.';
comment on column core.job_note.id is 'Key of the note.';
comment on column core.job_note.at is 'When.';
comment on column core.job_note.attempt is 'In which attempt.';
comment on column core.job_note.done is 'How much of the job is done, from 0 to 1.';
comment on column core.job_note.text is 'What it says.';

select core.attach_tenant_table('core.job_note');
grant select on core.job_note to fettle_app, fettle_admin;
grant select, insert on core.job_note to fettle_worker;

-- Partitions: the week before this one, this week and the next. core.keep_job_weeks() opens further ones; rows of a week
-- that nobody opened go to the default partition. Nobody has rights on a partition itself.
select core.open_job_week((date_trunc('week', now()) + n * interval '1 week')::date) from generate_series(-1, 1) n;

do $$
declare
  parent text;
begin
  foreach parent in array array['job_post', 'job_claim', 'job_settlement', 'job_attempt', 'job_note'] loop
    execute format('create table core.%I partition of core.%I default', parent || '_rest', parent);
    execute format('alter table core.%I enable row level security', parent || '_rest');
    execute format('alter table core.%I force row level security', parent || '_rest');
  end loop;
end
$$;
