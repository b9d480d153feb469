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

-- The first table of jobs has an index of a name that is needed.
drop index core.job_claim;

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

create table core.job_settlement (
  week       date        not null,
  company_id uuid        not null,
  lane       uuid        not null,
  no         bigint      not null,
  at         timestamptz not null default clock_timestamp(),
  outcome    text        not null check (outcome in ('finished', 'lost')),
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

-- Attempts that left more to say than that they succeeded. Of the first table of jobs they are taken over below.
alter table core.job_attempt rename to job_attempt_before;
alter table core.job_attempt_before rename constraint job_attempt_pkey to job_attempt_before_pkey;

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

create table core.job_key (
  company_id uuid not null,
  kind       text not null,
  key        text not null check (length(key) between 1 and 200),
  job_id     uuid not null,
  until      timestamptz,
  is_ended   boolean not null default false,
  primary key (company_id, kind, key)
);

comment on table  core.job_key is 'Keys of jobs: at most one of a kind and key is open in a company, or begun within a time.';
comment on column core.job_key.company_id is 'The company.';
comment on column core.job_key.kind is 'The kind of job.';
comment on column core.job_key.key is 'The key.';
comment on column core.job_key.job_id is 'The job that holds it.';
comment on column core.job_key.until is 'It is held until then, also when the job has ended before; null: until it has ended.';
comment on column core.job_key.is_ended is 'The job has ended, and the key is held for its time only.';

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

-- Partitions of a week, and who may do what. Nobody has rights on a partition itself.
create function core.open_job_week(p_week date) returns void
  language plpgsql
  set search_path = ''
  set client_min_messages = warning
as $$
declare
  parent text;
  partition text;
begin
  foreach parent in array array['job_post', 'job_claim', 'job_settlement', 'job_attempt', 'job_note'] loop
    partition := format('%s_%s', parent, to_char(p_week, 'YYYYMMDD'));
    if to_regclass(format('core.%I', partition)) is null then
      execute format(
        'create table core.%I partition of core.%I for values from (%L) to (%L)',
        partition, parent, p_week, p_week + 7);
      execute format('alter table core.%I enable row level security', partition);
      execute format('alter table core.%I force row level security', partition);
    end if;
  end loop;
end
$$;

comment on function core.open_job_week(date) is 'Makes the partitions of the week that begins on this Monday, unless they are there.';
revoke execute on function core.open_job_week(date) from public;

do $$
declare
  parent text;
begin
  perform core.open_job_week((date_trunc('week', now()) + n * interval '1 week')::date) from generate_series(-1, 3) n;
  -- What is posted in a week that nobody opened is still posted.
  foreach parent in array array['job_post', 'job_claim', 'job_settlement', 'job_attempt', 'job_note'] loop
    execute format('create table core.%I partition of core.%I default', parent || '_rest', parent);
    execute format('alter table core.%I enable row level security', parent || '_rest');
    execute format('alter table core.%I force row level security', parent || '_rest');
  end loop;
end
$$;

do $$
declare
  target text;
begin
  foreach target in array array['job_post', 'job_claim', 'job_settlement', 'job_wait', 'job_end', 'job_key', 'job_stop', 'job_begin'] loop
    execute format('alter table core.%I enable row level security', target);
    execute format('alter table core.%I force row level security', target);
    execute format(
      'create policy tenant on core.%I to fettle_app, fettle_worker '
      'using (company_id = (select core.current_company())) '
      'with check (company_id = (select core.current_company()))', target);
    execute format('create policy operator_select on core.%I for select to fettle_admin using (true)', target);
    execute format(
      'create policy operator_insert on core.%I for insert to fettle_admin '
      'with check (company_id = (select core.current_company()))', target);
    execute format(
      'create policy operator_update on core.%I for update to fettle_admin '
      'using (company_id = (select core.current_company())) '
      'with check (company_id = (select core.current_company()))', target);
    execute format(
      'create policy operator_delete on core.%I for delete to fettle_admin '
      'using (company_id = (select core.current_company()))', target);
    execute format('create policy doors on core.%I to fettle_auth using (true) with check (true)', target);
  end loop;
end
$$;

grant select on core.job_post, core.job_wait, core.job_end to fettle_app, fettle_worker, fettle_auth;
-- An operator sees every company's jobs, and what they are about only from inside its company.
grant select (week, company_id, lane, xid, id, round, queue, kind, priority, attempt, max_attempts, is_alone,
    unique_key, created_at, posted_at, cause_type, cause_id, trace_id)
  on core.job_post to fettle_admin;
grant select (company_id, id, round, run_at, lane, queue, kind, priority, attempt, max_attempts, is_alone,
    unique_key, created_at, cause_type, cause_id, trace_id)
  on core.job_wait to fettle_admin;
grant select (company_id, id, round, state, finished_at, lane, queue, kind, priority, attempt, max_attempts,
    unique_key, created_at, cause_type, cause_id, trace_id)
  on core.job_end to fettle_admin;
grant insert on core.job_post, core.job_wait, core.job_end to fettle_app, fettle_worker, fettle_admin, fettle_auth;
grant update (run_at) on core.job_wait to fettle_app, fettle_worker, fettle_admin, fettle_auth;
grant delete on core.job_wait, core.job_end to fettle_app, fettle_worker, fettle_admin, fettle_auth;
grant select on core.job_claim, core.job_settlement to fettle_app, fettle_worker, fettle_admin, fettle_auth;
grant insert on core.job_claim to fettle_auth;
-- A row is locked by whoever may update it; nothing is.
grant update (at) on core.job_claim to fettle_auth;
grant insert on core.job_settlement to fettle_worker, fettle_auth;
grant select, insert, delete on core.job_key, core.job_stop to fettle_app, fettle_worker, fettle_admin, fettle_auth;
-- What failed and what was told is read inside the company only.
select core.attach_tenant_table('core.job_attempt');
select core.attach_tenant_table('core.job_note');
create policy doors on core.job_attempt to fettle_auth using (true) with check (true);
grant select, insert, delete on core.job_begin to fettle_auth;
grant update (job_id, until, is_ended) on core.job_key to fettle_app, fettle_worker, fettle_admin, fettle_auth;
grant select on core.job_attempt, core.job_note to fettle_app, fettle_worker, fettle_admin;
grant select on core.job_attempt to fettle_auth;
grant insert on core.job_attempt to fettle_worker, fettle_auth;
grant insert on core.job_note to fettle_worker;

alter table core.worker
  add column lease_until  timestamptz not null default now(),
  add column oldest_batch bigint not null default 0;
comment on column core.worker.lease_until is 'After this it is taken for lost, unless it says before that it is alive.';
comment on column core.worker.oldest_batch is 'All batches of claims before this one are settled.';
grant select, delete, update (lease_until) on core.worker to fettle_auth;

-- What the old table has is taken over: what is open waits for its time, which may be now.
create function core.job_lane(p_company_id uuid, p_queue text, p_kind text, p_priority integer) returns uuid
  language sql immutable
  set search_path = ''
as $$
  select md5(p_company_id::text || '/' || p_queue || '/' || p_kind || '/' || p_priority::text)::uuid
$$;

comment on function core.job_lane(uuid, text, text, integer) is 'The lane of the jobs of a company, queue, kind and priority.';
grant execute on function core.job_lane(uuid, text, text, integer) to fettle_app, fettle_worker, fettle_admin, fettle_auth;

alter table core.job no force row level security;
alter table core.job_payload no force row level security;
alter table core.job_wait no force row level security;
alter table core.job_end no force row level security;
alter table core.job_key no force row level security;

insert into core.job_wait
  (company_id, id, round, run_at, lane, queue, kind, priority, attempt, max_attempts, unique_key, created_at,
   cause_type, cause_id, trace_id, payload)
select j.company_id, j.id, j.attempt + 1, j.run_at, core.job_lane(j.company_id, j.queue, j.kind, j.priority), j.queue,
  j.kind, j.priority, least(j.attempt, j.max_attempts - 1), j.max_attempts, j.unique_key, j.created_at, p.cause_type,
  p.cause_id, p.trace_id, coalesce(p.payload, '{}')
from core.job j
left join core.job_payload p on p.company_id = j.company_id and p.job_id = j.id
where j.state in ('queued', 'retrying', 'running');

insert into core.job_end
  (company_id, id, round, state, finished_at, lane, queue, kind, priority, attempt, max_attempts, unique_key, created_at,
   cause_type, cause_id, trace_id, payload)
select j.company_id, j.id, j.attempt + 1, j.state, j.finished_at,
  core.job_lane(j.company_id, j.queue, j.kind, j.priority), j.queue, j.kind, j.priority, j.attempt, j.max_attempts,
  j.unique_key, j.created_at, p.cause_type, p.cause_id, p.trace_id, coalesce(p.payload, '{}')
from core.job j
left join core.job_payload p on p.company_id = j.company_id and p.job_id = j.id
where j.state in ('succeeded', 'dead', 'cancelled');

insert into core.job_key (company_id, kind, key, job_id)
select j.company_id, j.kind, j.unique_key, j.id
from core.job j
where j.unique_key is not null and j.state in ('queued', 'retrying', 'running');

alter table core.job_wait force row level security;
alter table core.job_end force row level security;
alter table core.job_key force row level security;

alter table core.job_attempt_before no force row level security;
alter table core.job_attempt no force row level security;
insert into core.job_attempt
  (week, company_id, job_id, attempt, fence, worker_id, started_at, finished_at, outcome, error)
select date_trunc('week', coalesce(a.finished_at, now()))::date, a.company_id, a.job_id, a.attempt, a.fence, a.worker_id,
  a.started_at, a.finished_at, a.outcome, a.error
from core.job_attempt_before a;
alter table core.job_attempt force row level security;

drop table core.job_attempt_before;
drop table core.job_payload;
drop table core.job;

-- A function's body is checked as its maker, who is still the owner here: under row_security = off that is
-- refused for any table with policies.
set local row_security = on;

-- One job, in the rights of the caller: the company is set for this transaction as for any other, and row-level security
-- holds. One statement, so that a job that is enqueued alone costs no more than an insert.
create function core.post_job(
    p_company uuid, p_lane uuid, p_id uuid, p_queue text, p_kind text, p_priority smallint, p_max_attempts integer,
    p_cause_type text, p_cause_id uuid, p_trace_id text, p_payload jsonb)
  returns void
  language plpgsql
  set search_path = core, pg_temp
as $$
begin
  perform set_config('fettle.company_id', p_company::text, true);
  insert into core.job_post
    (company_id, lane, id, queue, kind, priority, max_attempts, cause_type, cause_id, trace_id, payload)
  values (p_company, p_lane, p_id, p_queue, p_kind, p_priority, p_max_attempts, p_cause_type, p_cause_id, p_trace_id,
    p_payload);
end
$$;

comment on function core.post_job(uuid, uuid, uuid, text, text, smallint, integer, text, uuid, text, jsonb) is
  'Posts a job by itself, in its company and in the rights of the caller.';
revoke execute on function core.post_job(uuid, uuid, uuid, text, text, smallint, integer, text, uuid, text, jsonb) from public;
grant execute on function core.post_job(uuid, uuid, uuid, text, text, smallint, integer, text, uuid, text, jsonb)
  to fettle_app, fettle_worker, fettle_admin;

-- Whether a claim's slice, or what follows on it, has a job: the same question for claiming and for reading.
-- In order of transaction and id; first the transactions that `before` saw begun and not ended, then later ones.
-- Row comparisons that begin with the lane, so that only the index on it will do, whatever statistics say.
create function core.job_slice(
    p_lane uuid, p_before pg_snapshot, p_upto pg_snapshot, p_after_xid xid8, p_after_id uuid, p_limit integer)
  returns setof core.job_post
  language plpgsql stable
  set search_path = core, pg_temp
  -- By the index on the lane and in its order, whatever statistics say.
  set enable_sort = off
  set enable_seqscan = off
  set enable_bitmapscan = off
  set jit = off
  set plan_cache_mode = force_generic_plan
as $$
declare
  nobody constant uuid := '00000000-0000-0000-0000-000000000000';
  late xid8[];
  start_xid xid8 := pg_snapshot_xmax(p_before);
  start_id uuid := nobody;
  rest integer := p_limit;
  found_rows integer;
begin
  select array_agg(x.xid order by x.xid) into late
  from pg_snapshot_xip(p_before) x (xid)
  where x.xid >= p_after_xid and pg_visible_in_snapshot(x.xid, p_upto);
  -- One by one, so that there is nothing to sort.
  for place in 1..coalesce(cardinality(late), 0) loop
    return query
      select p.*
      from core.job_post p
      where (p.lane, p.xid, p.id)
          > (p_lane, late[place], case when late[place] = p_after_xid then p_after_id else nobody end)
        and p.lane <= p_lane and p.xid <= late[place]
      order by p.lane, p.xid, p.id
      limit rest;
    get diagnostics found_rows = row_count;
    rest := rest - found_rows;
    exit when rest <= 0;
  end loop;
  if rest <= 0 then return; end if;
  if (p_after_xid, p_after_id) > (start_xid, start_id) then
    start_xid := p_after_xid;
    start_id := p_after_id;
  end if;
  return query
    select p.*
    from core.job_post p
    where (p.lane, p.xid, p.id) > (p_lane, start_xid, start_id)
      and p.lane <= p_lane and p.xid < pg_snapshot_xmax(p_upto) and pg_visible_in_snapshot(p.xid, p_upto)
    order by p.lane, p.xid, p.id
    limit rest;
end
$$;

comment on function core.job_slice(uuid, pg_snapshot, pg_snapshot, xid8, uuid, integer) is
  'The next jobs of a lane among those that the second snapshot sees and the first does not, behind a position.';
revoke execute on function core.job_slice(uuid, pg_snapshot, pg_snapshot, xid8, uuid, integer) from public;

create function core.claim_jobs(p_worker uuid, p_batch bigint, p_companies uuid[], p_lanes uuid[], p_each integer[])
  returns table (
    place integer, no bigint, week date, claimed_at timestamptz, ends_lane boolean, id uuid, round integer,
    attempt integer, max_attempts integer, payload jsonb, unique_key text, cause_type text, cause_id uuid, trace_id text,
    is_alone boolean, posted_at timestamptz)
  language plpgsql security definer
  set search_path = core, pg_temp
  -- By the indexes and in their order, whatever statistics say.
  set enable_seqscan = off
  set enable_bitmapscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set jit = off
  -- To plan it takes longer than to run it.
  set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  nobody constant uuid := '00000000-0000-0000-0000-000000000000';
  v_week constant date := date_trunc('week', now())::date;
  v_places integer[];
begin
  -- A claim that a crash takes away leaves its jobs to be claimed again, and whoever had it finds no claim to settle:
  -- nobody need wait for the disk.
  perform set_config('synchronous_commit', 'off', true);
  -- Whoever takes the worker for lost locks its row; a claim behind its back would never be rescued.
  perform from core.worker w where w.id = p_worker and w.lease_until > clock_timestamp() for key share;
  if not found then
    raise exception 'the worker is not registered, or was taken for lost' using errcode = 'FT010';
  end if;
  -- One at a time cuts a lane; others go on to the next. A statement of its own: what the next one sees was committed
  -- by whoever had the lane before.
  select array_agg(x.place order by x.place) into v_places
  from unnest(p_lanes) with ordinality x (lane, place)
  where pg_try_advisory_xact_lock(hashtextextended(x.lane::text, 7450));
  return query
    with head as materialized (
      select l.place::integer as place, p_companies[l.place] as company_id, p_lanes[l.place] as lane,
        p_each[l.place] as each,
        -- By the clock too, so that no number is given again when a crash has taken a claim away: whoever had that
        -- one would settle jobs that it never got.
        greatest(coalesce(h.no, 0) + 1, (extract(epoch from clock_timestamp()) * 1000000)::bigint) as no, greatest(v_week, h.week) as week,
        coalesce(h.last_week - 7, '-infinity') as from_week, coalesce(h.before, '1:1:') as before,
        coalesce(h.upto, '1:1:') as upto, coalesce(h.last_xid, '0') as last_xid, coalesce(h.last_id, nobody) as last_id
      from unnest(v_places) l (place)
      left join lateral (
        -- Claims of a lane never go back to an earlier week, so that the newest is in the newest.
        (select c.* from core.job_claim c
         where c.company_id = p_companies[l.place] and c.lane = p_lanes[l.place] and c.week >= v_week
         order by c.no desc limit 1)
        union all
        (select c.* from core.job_claim c
         where c.company_id = p_companies[l.place] and c.lane = p_lanes[l.place] and c.week < v_week
         order by c.no desc limit 1)
        limit 1
      ) h on true
    ), span as materialized (
      -- What was committed up to the last claim's snapshot and is left of it; if nothing is, what was committed since.
      select h.place, h.company_id, h.lane, h.each, h.no, h.week, h.from_week, not r.is_left as is_fresh,
        case when r.is_left then h.before else h.upto end as before,
        case when r.is_left then h.upto else pg_current_snapshot() end as upto,
        case when r.is_left then h.last_xid else '0' end as after_xid,
        case when r.is_left then h.last_id else nobody end as after_id
      from head h
      cross join lateral (
        select exists (
            select from (
              select from core.job_post p
              where (p.lane, p.xid, p.id) > (
                  h.lane, greatest(h.last_xid, pg_snapshot_xmax(h.before)),
                  case when h.last_xid >= pg_snapshot_xmax(h.before) then h.last_id else nobody end)
                and p.lane <= h.lane and p.xid < pg_snapshot_xmax(h.upto) and pg_visible_in_snapshot(p.xid, h.upto)
                and p.week >= h.from_week
              order by p.lane, p.xid, p.id
              limit 1
            ) j)
          or exists (
            select from pg_snapshot_xip(h.before) x (xid)
            cross join lateral (
              select from core.job_post p
              where (p.lane, p.xid, p.id) > (h.lane, x.xid, case when x.xid = h.last_xid then h.last_id else nobody end)
                and p.lane <= h.lane and p.xid <= x.xid and p.week >= h.from_week
              order by p.lane, p.xid, p.id
              limit 1
            ) j
            where x.xid >= h.last_xid and pg_visible_in_snapshot(x.xid, h.upto)) as is_left
        offset 0  -- asked once
      ) r
    ), slice as materialized (
      select s.place, s.company_id, s.lane, s.each, s.no, s.week, s.is_fresh, s.before, s.upto, s.after_xid, s.after_id,
        x.xid, x.id, x.round, x.attempt, x.max_attempts, x.is_alone, x.unique_key, x.cause_type, x.cause_id, x.trace_id,
        x.payload, x.posted_at, x.n, x.total, x.found, x.week as post_week
      from span s
      cross join lateral (
        select q.*, count(*) over () as total
        from (
          -- What was found and is not given, because it is to be alone, is still there.
          select j.*, row_number() over w as n, count(*) filter (where j.is_alone) over w as alone,
            count(*) over () as found
          from (
            -- First the transactions that the one snapshot saw begun and not ended, then later ones.
            select p.*
            from (
              select x.xid from pg_snapshot_xip(s.before) x (xid)
              where x.xid >= s.after_xid and pg_visible_in_snapshot(x.xid, s.upto)
            ) x
            cross join lateral (
              select p.* from core.job_post p
              where (p.lane, p.xid, p.id) > (s.lane, x.xid, case when x.xid = s.after_xid then s.after_id else nobody end)
                and p.lane <= s.lane and p.xid <= x.xid and p.week >= s.from_week
              order by p.lane, p.xid, p.id
              limit s.each
            ) p
            union all
            (select p.* from core.job_post p
             where (p.lane, p.xid, p.id) > (
                 s.lane, greatest(s.after_xid, pg_snapshot_xmax(s.before)),
                 case when s.after_xid >= pg_snapshot_xmax(s.before) then s.after_id else nobody end)
               and p.lane <= s.lane and p.xid < pg_snapshot_xmax(s.upto) and pg_visible_in_snapshot(p.xid, s.upto)
               and p.week >= s.from_week
             order by p.lane, p.xid, p.id
             limit s.each)
            limit s.each
          ) j
          window w as (rows unbounded preceding)
        ) q
        -- One that is to be alone is the first of a slice, and the only one.
        where q.n = 1 or q.alone = 0
      ) x
    ), made as (
      insert into core.job_claim
        (week, company_id, lane, no, worker_id, batch, at, before, upto, after_xid, after_id, last_xid, last_id, last_week,
         jobs)
      select s.week, s.company_id, s.lane, s.no, p_worker, p_batch, clock_timestamp(), s.before, s.upto, s.after_xid,
        s.after_id, s.xid, s.id, s.post_week, s.total
      from slice s
      where s.n = s.total
      returning at
    ), moment as materialized (
      -- Also has the claims made before the jobs are given.
      select max(m.at) as at from made m
    )
    select s.place, s.no, s.week, m.at, s.is_fresh and s.total = s.found and s.found < s.each and not s.is_alone,
      s.id, s.round, s.attempt + 1, s.max_attempts, s.payload, s.unique_key, s.cause_type, s.cause_id, s.trace_id, s.is_alone, s.posted_at
    from slice s
    cross join moment m
    where not exists (
      select from core.job_stop t where t.company_id = s.company_id and t.id = s.id and t.round = s.round)
    union all
    -- The claim alone, for one whose jobs may all have been cancelled: it is to be settled all the same.
    select s.place, s.no, s.week, m.at, s.is_fresh and s.total = s.found and s.found < s.each and not s.is_alone,
      null::uuid, 0, 0, 0, null::jsonb, null::text, null::text, null::uuid, null::text, false, null::timestamptz
    from slice s
    cross join moment m
    where s.n = 1 and exists (
      select from core.job_stop t where t.company_id = s.company_id and t.id = s.id and t.round = s.round)
    union all
    -- A row without a job says that the lane is empty; none at all, that somebody else is at it.
    select h.place, 0::bigint, h.week, null::timestamptz, true, null::uuid, 0, 0, 0, null::jsonb, null::text, null::text,
      null::uuid, null::text, false, null::timestamptz
    from head h
    where not exists (select from slice s where s.place = h.place);
end
$$;

comment on function core.claim_jobs(uuid, bigint, uuid[], uuid[], integer[]) is
  'Gives a worker the next jobs of some lanes, up to so many of each, with what they are about, and whether the lane has no more; a row without a job for a lane that has none.';

-- Claims whose jobs are all done. The first settlement stands, so what somebody took for lost stays lost.
create function core.settle_claims(
    p_worker uuid, p_weeks date[], p_companies uuid[], p_lanes uuid[], p_nos bigint[])
  returns table (company_id uuid, lane uuid, no bigint)
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
#variable_conflict use_column
begin
  insert into core.job_settlement (week, company_id, lane, no, outcome)
  select c.week, c.company_id, c.lane, c.no, 'finished'
  from unnest(p_weeks, p_companies, p_lanes, p_nos) x (week, company_id, lane, no)
  cross join lateral (
    select c.week, c.company_id, c.lane, c.no
    from core.job_claim c
    where c.week = x.week and c.company_id = x.company_id and c.lane = x.lane and c.no = x.no
      and c.worker_id = p_worker
    limit 1
  ) c
  on conflict do nothing;
  return query
    select x.company_id, x.lane, x.no
    from unnest(p_weeks, p_companies, p_lanes, p_nos) x (week, company_id, lane, no)
    where not exists (
      select from core.job_settlement s
      where s.week = x.week and s.company_id = x.company_id and s.lane = x.lane and s.no = x.no
        and s.outcome = 'finished');
end
$$;

comment on function core.settle_claims(uuid, date[], uuid[], uuid[], bigint[]) is
  'Settles claims of a worker that are done; gives those that are not its any more.';

create function core.arrived_jobs(p_since pg_snapshot)
  returns table (company_id uuid, lane uuid, queue text, kind text, priority smallint, upto text)
  language plpgsql stable security definer
  set search_path = core, pg_temp
  -- By the indexes, whatever statistics say.
  set enable_seqscan = off
  set enable_bitmapscan = off
  set jit = off
  set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  return query
    select null::uuid, null::uuid, null::text, null::text, null::smallint, pg_current_snapshot()::text
    union all
    select distinct p.company_id, p.lane, p.queue, p.kind, p.priority, null
    from core.job_post p
    where p.xid >= pg_snapshot_xmax(p_since)
    union all
    select distinct p.company_id, p.lane, p.queue, p.kind, p.priority, null
    from pg_snapshot_xip(p_since) x (xid)
    -- One by one, by the index.
    cross join lateral (
      select p.company_id, p.lane, p.queue, p.kind, p.priority from core.job_post p where p.xid = x.xid offset 0
    ) p;
end
$$;

comment on function core.arrived_jobs(pg_snapshot) is
  'The lanes of jobs that were committed since a snapshot, and in its first row the snapshot up to which it looked.';

create function core.lanes_with_jobs()
  returns table (company_id uuid, lane uuid, queue text, kind text, priority smallint, upto text)
  language plpgsql stable security definer
  set search_path = core, pg_temp
  -- By the indexes, whatever statistics say.
  set enable_seqscan = off
  set enable_bitmapscan = off
  set jit = off
  set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  return query
    with recursive walk as (
      (select p.lane from core.job_post p order by p.lane limit 1)
      union all
      select (select p.lane from core.job_post p where p.lane > w.lane order by p.lane limit 1)
      from walk w
      where w.lane is not null
    ), first as (
      select f.*
      from walk w
      cross join lateral (
        select p.company_id, p.lane, p.queue, p.kind, p.priority
        from core.job_post p
        where p.lane = w.lane
        limit 1
      ) f
      where w.lane is not null
    )
    select null::uuid, null::uuid, null::text, null::text, null::smallint, pg_current_snapshot()::text
    union all
    select f.company_id, f.lane, f.queue, f.kind, f.priority, null
    from first f
    left join lateral (
      select c.* from core.job_claim c where c.company_id = f.company_id and c.lane = f.lane order by c.no desc limit 1
    ) c on true
    where c.no is null
      or exists (select from core.job_slice(f.lane, c.before, c.upto, c.last_xid, c.last_id, 1))
      or exists (
        select from core.job_slice(
          f.lane, c.upto, pg_current_snapshot(), '0', '00000000-0000-0000-0000-000000000000', 1));
end
$$;

comment on function core.lanes_with_jobs() is
  'The lanes that have jobs to be claimed, and in its first row the snapshot up to which it looked.';

create function core.post_due_jobs(p_limit integer) returns integer
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
declare
  posted integer;
begin
  with due as (
    select w.company_id, w.id
    from core.job_wait w
    where w.run_at <= clock_timestamp()
    order by w.run_at
    limit p_limit
    for update skip locked
  ), gone as (
    delete from core.job_wait w
    using due d
    where w.company_id = d.company_id and w.id = d.id
    returning w.*
  )
  insert into core.job_post
    (company_id, lane, id, round, queue, kind, priority, attempt, max_attempts, is_alone, unique_key, created_at,
     cause_type, cause_id, trace_id, payload)
  select g.company_id, g.lane, g.id, g.round, g.queue, g.kind, g.priority, g.attempt, g.max_attempts, g.is_alone,
    g.unique_key, g.created_at, g.cause_type, g.cause_id, g.trace_id, g.payload
  from gone g;
  get diagnostics posted = row_count;
  return posted;
end
$$;

comment on function core.post_due_jobs(integer) is 'Posts jobs whose time has come, up to so many; says how many.';

-- In the transaction that writes a job's effects: whoever takes the claim for lost waits until it has ended, or has
-- ended it before.
create function core.holds_claim(p_lane uuid, p_no bigint, p_worker uuid, p_id uuid, p_round integer) returns boolean
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
declare
  v_company constant uuid := core.current_company();
begin
  perform from core.job_claim c
  where c.company_id = v_company and c.lane = p_lane and c.no = p_no and c.worker_id = p_worker
  for key share;
  if not found then return false; end if;
  -- A statement of its own: it sees what was committed while the lock was waited for.
  return not exists (
      select from core.job_settlement s where s.company_id = v_company and s.lane = p_lane and s.no = p_no)
    and not exists (
      select from core.job_post n where n.company_id = v_company and n.id = p_id and n.round > p_round);
end
$$;

comment on function core.holds_claim(uuid, bigint, uuid, uuid, integer) is
  'Whether a worker still has a job of a claim of the company of the transaction; it keeps it until the transaction ends.';

create function core.free_job_key(p_company uuid, p_kind text, p_key text, p_job uuid) returns void
  language sql
  set search_path = core, pg_temp
as $$
  delete from core.job_key k
  where k.company_id = p_company and k.kind = p_kind and k.key = p_key and k.job_id = p_job
    and (k.until is null or k.until <= clock_timestamp());
  update core.job_key k set is_ended = true
  where k.company_id = p_company and k.kind = p_kind and k.key = p_key and k.job_id = p_job;
$$;

comment on function core.free_job_key(uuid, text, text, uuid) is
  'Frees the key of a job that has ended, unless it is held for a time.';

create function core.write_down(p_company uuid, p_lane uuid, p_no bigint, p_worker uuid, p_ids uuid[]) returns void
  language sql
  set search_path = core, pg_temp
as $$
  insert into core.job_attempt
    (company_id, job_id, attempt, fence, worker_id, started_at, finished_at, outcome)
  select p_company, p.id, p.attempt + 1, p_no, p_worker, c.at, clock_timestamp(), 'succeeded'
  from core.job_claim c
  cross join unnest(p_ids) x (id)
  cross join lateral (
    select p.id, p.attempt, p.lane from core.job_post p
    where p.company_id = p_company and p.id = x.id order by p.round desc limit 1
  ) p
  where c.company_id = p_company and c.lane = p_lane and c.no = p_no and c.worker_id = p_worker and p.lane = p_lane
  on conflict do nothing
$$;

comment on function core.write_down(uuid, uuid, bigint, uuid, uuid[]) is
  'Gives jobs of a claim that are done attempts of their own, for when the claim does not end with them.';
revoke execute on function core.write_down(uuid, uuid, bigint, uuid, uuid[]) from public;

-- So that a death later on does not have them done again.
create function core.write_down_done(p_company uuid, p_lane uuid, p_no bigint, p_worker uuid, p_ids uuid[]) returns boolean
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
begin
  perform from core.job_claim c
  where c.company_id = p_company and c.lane = p_lane and c.no = p_no and c.worker_id = p_worker
  for key share;
  if not found or exists (
    select from core.job_settlement s where s.company_id = p_company and s.lane = p_lane and s.no = p_no)
  then
    return false;
  end if;
  perform core.write_down(p_company, p_lane, p_no, p_worker, p_ids);
  return true;
end
$$;

comment on function core.write_down_done(uuid, uuid, bigint, uuid, uuid[]) is
  'Writes down which jobs of an open claim are done while others of it go on; false: it is open no more.';

-- Gives back jobs of a claim that goes on for others of its jobs: they are posted anew, and belong to it no more.
create function core.hand_back(p_company uuid, p_lane uuid, p_no bigint, p_worker uuid, p_ids uuid[]) returns integer
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
declare
  posted integer;
begin
  perform from core.job_claim c
  where c.company_id = p_company and c.lane = p_lane and c.no = p_no and c.worker_id = p_worker
  for update;
  -- Whoever was writing what came of one of them is done by now.
  if not found then return 0; end if;
  if exists (
    select from core.job_settlement s where s.company_id = p_company and s.lane = p_lane and s.no = p_no)
  then
    return 0;
  end if;
  insert into core.job_post
    (company_id, lane, id, round, queue, kind, priority, attempt, max_attempts, is_alone, unique_key, created_at,
     cause_type, cause_id, trace_id, payload)
  select p.company_id, p.lane, p.id, p.round + 1, p.queue, p.kind, p.priority, p.attempt, p.max_attempts, p.is_alone,
    p.unique_key, p.created_at, p.cause_type, p.cause_id, p.trace_id, p.payload
  from unnest(p_ids) x (id)
  cross join lateral (
    select p.* from core.job_post p where p.company_id = p_company and p.id = x.id order by p.round desc limit 1
  ) p
  where p.lane = p_lane
    and not exists (select from core.job_stop t where t.company_id = p.company_id and t.id = p.id and t.round = p.round)
    and not exists (
      select from core.job_attempt a
      where a.company_id = p.company_id and a.job_id = p.id and a.attempt = p.attempt + 1 and a.fence = p_no)
    and core.is_claimed(p_company, p_lane, p.xid, p.id);
  get diagnostics posted = row_count;
  return posted;
end
$$;

comment on function core.hand_back(uuid, uuid, bigint, uuid, uuid[]) is
  'Posts jobs of an open claim anew that its worker has not begun, or has given up; says how many.';

create function core.stopped_jobs(p_worker uuid) returns table (company_id uuid, id uuid, round integer)
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  select t.company_id, t.id, t.round from core.job_stop t where t.worker_id = p_worker
$$;

comment on function core.stopped_jobs(uuid) is 'The jobs that a worker is to end, because they were cancelled.';

create function core.begin_job(p_company uuid, p_lane uuid, p_no bigint, p_worker uuid, p_id uuid) returns boolean
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
begin
  perform from core.job_claim c
  where c.company_id = p_company and c.lane = p_lane and c.no = p_no and c.worker_id = p_worker
  for key share;
  if not found or exists (
    select from core.job_settlement s where s.company_id = p_company and s.lane = p_lane and s.no = p_no)
  then
    return false;
  end if;
  insert into core.job_begin (company_id, id, no, lane) values (p_company, p_id, p_no, p_lane) on conflict do nothing;
  return true;
end
$$;

comment on function core.begin_job(uuid, uuid, bigint, uuid, uuid) is
  'Says that a job begins that was claimed alone; false: it is not the worker''s any more.';

create function core.forget_begun(p_limit integer) returns bigint
  language sql security definer
  set search_path = core, pg_temp
as $$
  with gone as (
    delete from core.job_begin b
    using (
      select b.company_id, b.id, b.no
      from core.job_begin b
      where exists (
        select from core.job_settlement s where s.company_id = b.company_id and s.lane = b.lane and s.no = b.no)
      limit p_limit
    ) o
    where b.company_id = o.company_id and b.id = o.id and b.no = o.no
    returning b.id
  )
  select count(*) from gone
$$;

comment on function core.forget_begun(integer) is 'Deletes what says of settled claims that jobs were begun, up to so many; says how many.';

-- Ends a claim before its jobs are done, and posts anew what is not: neither attempted, nor posted again, nor ended.
-- What was alone in its claim may have had an attempt. What was not cannot be told from what was never begun, and is
-- from then on claimed alone, and only dies of a death when it had been begun for certain.
create function core.end_claim(
    p_company uuid, p_lane uuid, p_no bigint, p_worker uuid, p_is_lost boolean, p_error text, p_done uuid[] default null)
  returns integer
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
declare
  claim core.job_claim;
  job record;
  posted integer := 0;
  counts boolean;
  is_certain boolean;
begin
  select c.* into claim
  from core.job_claim c
  where c.company_id = p_company and c.lane = p_lane and c.no = p_no and c.worker_id = p_worker
  for update;
  if not found then return 0; end if;
  insert into core.job_settlement (week, company_id, lane, no, outcome)
  values (claim.week, p_company, p_lane, p_no, 'lost')
  on conflict do nothing;
  if not found then return 0; end if;
  if p_done is not null then
    perform core.write_down(p_company, p_lane, p_no, p_worker, p_done);
  end if;
  for job in
    select p.*, exists (
        select from core.job_stop t where t.company_id = p.company_id and t.id = p.id and t.round = p.round) as is_stopped
    from core.job_slice(p_lane, claim.before, claim.upto, claim.after_xid, claim.after_id, claim.jobs) p
    where not exists (
        select from core.job_attempt a
        where a.company_id = p.company_id and a.job_id = p.id and a.attempt = p.attempt + 1 and a.fence = p_no)
      and not exists (
        select from core.job_post n where n.company_id = p.company_id and n.id = p.id and n.round > p.round)
      and not exists (select from core.job_wait w where w.company_id = p.company_id and w.id = p.id)
      and not exists (select from core.job_end e where e.company_id = p.company_id and e.id = p.id)
  loop
    is_certain := exists (
      select from core.job_begin b where b.company_id = p_company and b.id = job.id and b.no = p_no);
    counts := p_is_lost and claim.jobs = 1
      and (is_certain or not job.is_alone and job.attempt + 1 < job.max_attempts);
    if counts then
      insert into core.job_attempt
        (company_id, job_id, attempt, fence, worker_id, started_at, finished_at, outcome, error)
      values (p_company, job.id, job.attempt + 1, p_no, p_worker, claim.at, clock_timestamp(), 'lost', p_error);
    end if;
    if job.is_stopped or counts and job.attempt + 1 >= job.max_attempts then
      insert into core.job_end
        (company_id, id, round, state, finished_at, lane, queue, kind, priority, attempt, max_attempts, unique_key,
         created_at, cause_type, cause_id, trace_id, payload)
      values (job.company_id, job.id, job.round, case when job.is_stopped then 'cancelled' else 'dead' end,
        clock_timestamp(), job.lane, job.queue, job.kind, job.priority, job.attempt + case when counts then 1 else 0 end,
        job.max_attempts, job.unique_key, job.created_at, job.cause_type, job.cause_id, job.trace_id, job.payload);
      perform core.free_job_key(p_company, job.kind, job.unique_key, job.id);
    else
      insert into core.job_post
        (company_id, lane, id, round, queue, kind, priority, attempt, max_attempts, is_alone, unique_key, created_at,
         cause_type, cause_id, trace_id, payload)
      values (job.company_id, job.lane, job.id, job.round + 1, job.queue, job.kind, job.priority,
        job.attempt + case when counts then 1 else 0 end, job.max_attempts, p_is_lost or job.is_alone, job.unique_key,
        job.created_at, job.cause_type, job.cause_id, job.trace_id, job.payload);
      posted := posted + 1;
    end if;
  end loop;
  return greatest(posted, 1);
end
$$;

comment on function core.end_claim(uuid, uuid, bigint, uuid, boolean, text, uuid[]) is
  'Ends a claim that is not settled, posts anew what is not done, and says how many; 0: it had been settled.';

create function core.rescue_jobs(p_error text) returns integer
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
declare
  lost record;
  open record;
  freed integer := 0;
begin
  for lost in
    select w.id, w.oldest_batch
    from core.worker w
    where w.lease_until < clock_timestamp()
    for update skip locked
  loop
    for open in
      select c.company_id, c.lane, c.no
      from core.job_claim c
      where c.worker_id = lost.id and c.batch >= lost.oldest_batch
        and not exists (
          select from core.job_settlement s where s.company_id = c.company_id and s.lane = c.lane and s.no = c.no)
      order by c.batch
    loop
      freed := freed + core.end_claim(open.company_id, open.lane, open.no, lost.id, true, p_error);
    end loop;
    delete from core.worker w where w.id = lost.id;
  end loop;
  return freed;
end
$$;

comment on function core.rescue_jobs(text) is
  'Ends the claims of workers that were not heard of in time and removes these from the list; says how many jobs it freed.';

create function core.lost_claims(p_worker uuid, p_oldest bigint)
  returns table (company_id uuid, lane uuid, no bigint)
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  select c.company_id, c.lane, c.no
  from core.job_claim c
  join core.job_settlement s on s.company_id = c.company_id and s.lane = c.lane and s.no = c.no
  where c.worker_id = p_worker and c.batch >= p_oldest and s.outcome = 'lost'
$$;

comment on function core.lost_claims(uuid, bigint) is 'What others have taken from a worker, from a batch on.';

create function core.open_claims(p_worker uuid, p_batches bigint[])
  returns table (company_id uuid, lane uuid, no bigint)
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  select c.company_id, c.lane, c.no
  from core.job_claim c
  where c.worker_id = p_worker and c.batch = any (p_batches)
    and not exists (
      select from core.job_settlement s where s.company_id = c.company_id and s.lane = c.lane and s.no = c.no)
$$;

comment on function core.open_claims(uuid, bigint[]) is
  'What a worker claimed in some batches and nobody has settled: it asks after claims whose answer it never got.';

create function core.retry_job(p_id uuid) returns boolean
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
declare
  v_company constant uuid := core.current_company();
  job core.job_end;
begin
  delete from core.job_end e
  where e.company_id = v_company and e.id = p_id and e.state in ('dead', 'cancelled')
  returning e.* into job;
  if not found then return false; end if;
  if job.unique_key is not null then
    insert into core.job_key (company_id, kind, key, job_id)
    values (v_company, job.kind, job.unique_key, job.id)
    on conflict (company_id, kind, key) do update set job_id = excluded.job_id, is_ended = false
    where job_key.job_id = excluded.job_id or job_key.is_ended and job_key.until <= clock_timestamp();
    if not found then
      raise exception 'another job of kind % with the key % is open', job.kind, job.unique_key using errcode = 'FT011';
    end if;
  end if;
  insert into core.job_wait
    (company_id, id, round, run_at, lane, queue, kind, priority, attempt, max_attempts, is_alone, unique_key,
     created_at, cause_type, cause_id, trace_id, payload)
  values (v_company, job.id, job.round + 1, clock_timestamp(), job.lane, job.queue, job.kind, job.priority,
    job.attempt, greatest(job.max_attempts, job.attempt + 1), false, job.unique_key, job.created_at, job.cause_type,
    job.cause_id, job.trace_id, job.payload);
  return true;
end
$$;

comment on function core.retry_job(uuid) is
  'Has a dead or cancelled job of the company of the transaction tried again, once more than before; false: it is neither.';

-- The worker sees it within a heartbeat, or at once when it is told; if it dies before, the rescue ends the job.
create function core.stop_running(p_job core.job_post) returns boolean
  language plpgsql
  set search_path = core, pg_temp
as $$
declare
  claim core.job_claim;
begin
  select c.* into claim
  from core.job_claim c
  where c.company_id = p_job.company_id and c.lane = p_job.lane
    and (c.lane, c.last_xid, c.last_id) >= (p_job.lane, p_job.xid, p_job.id)
    and (c.after_xid, c.after_id) < (p_job.xid, p_job.id)
    and pg_visible_in_snapshot(p_job.xid, c.upto) and not pg_visible_in_snapshot(p_job.xid, c.before)
  order by c.lane, c.last_xid, c.last_id
  limit 1
  for key share;
  if not found
    or exists (
      select from core.job_settlement s
      where s.company_id = claim.company_id and s.lane = claim.lane and s.no = claim.no)
    or exists (
      select from core.job_attempt a
      where a.company_id = p_job.company_id and a.job_id = p_job.id and a.attempt = p_job.attempt + 1
        and a.fence = claim.no)
  then
    return false;
  end if;
  insert into core.job_stop (company_id, id, round, worker_id)
  values (p_job.company_id, p_job.id, p_job.round, claim.worker_id)
  on conflict do nothing;
  return true;
end
$$;

comment on function core.stop_running(core.job_post) is
  'Asks the worker that has a job to end it; false: it has ended.';
revoke execute on function core.stop_running(core.job_post) from public;

create function core.cancel_job(p_id uuid) returns boolean
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
declare
  v_company constant uuid := core.current_company();
  job core.job_post;
  waiting core.job_wait;
begin
  delete from core.job_wait w where w.company_id = v_company and w.id = p_id returning w.* into waiting;
  if found then
    insert into core.job_end
      (company_id, id, round, state, finished_at, lane, queue, kind, priority, attempt, max_attempts, unique_key,
       created_at, cause_type, cause_id, trace_id, payload)
    values (v_company, waiting.id, waiting.round, 'cancelled', clock_timestamp(), waiting.lane, waiting.queue,
      waiting.kind, waiting.priority, waiting.attempt, waiting.max_attempts, waiting.unique_key, waiting.created_at,
      waiting.cause_type, waiting.cause_id, waiting.trace_id, waiting.payload);
    perform core.free_job_key(v_company, waiting.kind, waiting.unique_key, waiting.id);
    return true;
  end if;
  select p.* into job
  from core.job_post p
  where p.company_id = v_company and p.id = p_id
  order by p.round desc
  limit 1;
  if not found then return false; end if;
  -- Nobody cuts the lane now; what is not claimed yet will be claimed without this one.
  perform pg_advisory_xact_lock(hashtextextended(job.lane::text, 7450));
  if exists (select from core.job_end e where e.company_id = v_company and e.id = p_id)
    or exists (select from core.job_wait w where w.company_id = v_company and w.id = p_id)
  then
    return false;
  end if;
  if core.is_claimed(v_company, job.lane, job.xid, job.id) then
    return core.stop_running(job);
  end if;
  insert into core.job_stop (company_id, id, round) values (v_company, p_id, job.round);
  insert into core.job_end
    (company_id, id, round, state, finished_at, lane, queue, kind, priority, attempt, max_attempts, unique_key,
     created_at, cause_type, cause_id, trace_id, payload)
  values (v_company, job.id, job.round, 'cancelled', clock_timestamp(), job.lane, job.queue, job.kind, job.priority,
    job.attempt, job.max_attempts, job.unique_key, job.created_at, job.cause_type, job.cause_id, job.trace_id,
    job.payload);
  perform core.free_job_key(v_company, job.kind, job.unique_key, job.id);
  return true;
end
$$;

comment on function core.cancel_job(uuid) is
  'Calls off a job of the company of the transaction that waits or runs; false: it does neither. One that runs is ended by its worker.';

create function core.is_claimed(p_company uuid, p_lane uuid, p_xid xid8, p_id uuid) returns boolean
  language sql stable
  set search_path = core, pg_temp
as $$
  select exists (
    select from core.job_claim c
    where c.company_id = p_company and c.lane = p_lane
      and (c.lane, c.last_xid, c.last_id) >= (p_lane, p_xid, p_id)
      and (c.after_xid, c.after_id) < (p_xid, p_id)
      and pg_visible_in_snapshot(p_xid, c.upto) and not pg_visible_in_snapshot(p_xid, c.before)
  )
$$;

comment on function core.is_claimed(uuid, uuid, xid8, uuid) is 'Whether a posted job is part of a claim.';

create function core.job_subject(p_id uuid) returns jsonb
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  select coalesce(
    (select w.payload from core.job_wait w where w.company_id = core.current_company() and w.id = p_id),
    (select e.payload from core.job_end e where e.company_id = core.current_company() and e.id = p_id),
    (select p.payload from core.job_post p
     where p.company_id = core.current_company() and p.id = p_id order by p.round desc limit 1)
  )
$$;

comment on function core.job_subject(uuid) is 'What a job of the company of the transaction is about.';

create function core.job_subjects()
  returns table (company_id uuid, job_id uuid, payload jsonb, cause_type text, cause_id uuid)
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  select w.company_id, w.id, w.payload, w.cause_type, w.cause_id
  from core.job_wait w
  where w.company_id = core.current_company()
  union all
  select e.company_id, e.id, e.payload, e.cause_type, e.cause_id
  from core.job_end e
  where e.company_id = core.current_company()
  union all
  select p.company_id, p.id, p.payload, p.cause_type, p.cause_id
  from core.job_post p
  where p.company_id = core.current_company() and p.round = 1
$$;

comment on function core.job_subjects() is
  'What the jobs of the company of the transaction are about, in every form in which they are kept.';

revoke execute on function core.claim_jobs(uuid, bigint, uuid[], uuid[], integer[]),
  core.settle_claims(uuid, date[], uuid[], uuid[], bigint[]), core.hand_back(uuid, uuid, bigint, uuid, uuid[]),
  core.write_down_done(uuid, uuid, bigint, uuid, uuid[]), core.begin_job(uuid, uuid, bigint, uuid, uuid),
  core.forget_begun(integer),
  core.stopped_jobs(uuid), core.arrived_jobs(pg_snapshot),
  core.lanes_with_jobs(), core.post_due_jobs(integer), core.holds_claim(uuid, bigint, uuid, uuid, integer),
  core.end_claim(uuid, uuid, bigint, uuid, boolean, text, uuid[]), core.rescue_jobs(text), core.lost_claims(uuid, bigint),
  core.open_claims(uuid, bigint[]), core.retry_job(uuid), core.cancel_job(uuid), core.is_claimed(uuid, uuid, xid8, uuid), core.job_subject(uuid), core.job_subjects(),
  core.free_job_key(uuid, text, text, uuid)
  from public;
grant execute on function core.claim_jobs(uuid, bigint, uuid[], uuid[], integer[]),
  core.settle_claims(uuid, date[], uuid[], uuid[], bigint[]), core.hand_back(uuid, uuid, bigint, uuid, uuid[]),
  core.write_down_done(uuid, uuid, bigint, uuid, uuid[]), core.begin_job(uuid, uuid, bigint, uuid, uuid),
  core.stopped_jobs(uuid), core.arrived_jobs(pg_snapshot),
  core.lanes_with_jobs(), core.post_due_jobs(integer), core.holds_claim(uuid, bigint, uuid, uuid, integer),
  core.end_claim(uuid, uuid, bigint, uuid, boolean, text, uuid[]), core.rescue_jobs(text), core.lost_claims(uuid, bigint),
  core.open_claims(uuid, bigint[])
  to fettle_worker;
grant execute on function core.forget_begun(integer) to fettle_worker, fettle_admin;
grant execute on function core.retry_job(uuid), core.cancel_job(uuid), core.job_subject(uuid), core.job_subjects()
  to fettle_app, fettle_worker, fettle_admin;
grant execute on function core.is_claimed(uuid, uuid, xid8, uuid) to fettle_app, fettle_worker, fettle_admin, fettle_auth;
grant execute on function core.job_slice(uuid, pg_snapshot, pg_snapshot, xid8, uuid, integer) to fettle_auth;
grant execute on function core.free_job_key(uuid, text, text, uuid) to fettle_app, fettle_worker, fettle_admin, fettle_auth;
grant execute on function core.stop_running(core.job_post), core.write_down(uuid, uuid, bigint, uuid, uuid[])
  to fettle_auth;
grant execute on function core.current_company() to fettle_auth;

grant create on schema core to fettle_auth;
alter function core.claim_jobs(uuid, bigint, uuid[], uuid[], integer[]) owner to fettle_auth;
alter function core.settle_claims(uuid, date[], uuid[], uuid[], bigint[]) owner to fettle_auth;
alter function core.hand_back(uuid, uuid, bigint, uuid, uuid[]) owner to fettle_auth;
alter function core.write_down_done(uuid, uuid, bigint, uuid, uuid[]) owner to fettle_auth;
alter function core.begin_job(uuid, uuid, bigint, uuid, uuid) owner to fettle_auth;
alter function core.forget_begun(integer) owner to fettle_auth;
alter function core.stopped_jobs(uuid) owner to fettle_auth;
alter function core.arrived_jobs(pg_snapshot) owner to fettle_auth;
alter function core.lanes_with_jobs() owner to fettle_auth;
alter function core.post_due_jobs(integer) owner to fettle_auth;
alter function core.holds_claim(uuid, bigint, uuid, uuid, integer) owner to fettle_auth;
alter function core.end_claim(uuid, uuid, bigint, uuid, boolean, text, uuid[]) owner to fettle_auth;
alter function core.rescue_jobs(text) owner to fettle_auth;
alter function core.lost_claims(uuid, bigint) owner to fettle_auth;
alter function core.open_claims(uuid, bigint[]) owner to fettle_auth;
alter function core.retry_job(uuid) owner to fettle_auth;
alter function core.cancel_job(uuid) owner to fettle_auth;
alter function core.job_subject(uuid) owner to fettle_auth;
alter function core.job_subjects() owner to fettle_auth;
revoke create on schema core from fettle_auth;

-- All jobs, as people look at them: each once, where it stands now.
create view core.job with (security_invoker = true) as
select w.company_id, w.id, w.queue, w.kind, case when w.attempt = 0 then 'queued' else 'retrying' end as state,
  w.priority, w.run_at, w.attempt, w.max_attempts, 0::bigint as fence, null::timestamptz as lease_until,
  null::uuid as worker_id, w.unique_key, w.created_at, null::timestamptz as finished_at, w.lane, w.cause_type, w.cause_id,
  w.trace_id
from core.job_wait w
union all
select e.company_id, e.id, e.queue, e.kind, e.state, e.priority, e.created_at, e.attempt, e.max_attempts, 0, null, null,
  e.unique_key, e.created_at, e.finished_at, e.lane, e.cause_type, e.cause_id, e.trace_id
from core.job_end e
union all
select p.company_id, p.id, p.queue, p.kind,
  case
    when c.no is null then case when p.attempt = 0 then 'queued' else 'retrying' end
    when a.outcome = 'succeeded' or s.outcome = 'finished' then 'succeeded'
    else 'running'
  end,
  p.priority, p.created_at, p.attempt + case when c.no is null then 0 else 1 end, p.max_attempts, coalesce(c.no, 0),
  case when a.outcome is null and s.outcome is null then l.lease_until end, c.worker_id, p.unique_key, p.created_at,
  coalesce(a.finished_at, case when s.outcome = 'finished' then s.at end), p.lane, p.cause_type, p.cause_id, p.trace_id
from core.job_post p
left join lateral (
  select c.no, c.worker_id
  from core.job_claim c
  where c.company_id = p.company_id and c.lane = p.lane
    and (c.lane, c.last_xid, c.last_id) >= (p.lane, p.xid, p.id)
    and (c.after_xid, c.after_id) < (p.xid, p.id)
    and pg_visible_in_snapshot(p.xid, c.upto) and not pg_visible_in_snapshot(p.xid, c.before)
  order by c.lane, c.last_xid, c.last_id
  limit 1
) c on true
left join core.job_settlement s on s.company_id = p.company_id and s.lane = p.lane and s.no = c.no
left join core.job_attempt a
  on a.company_id = p.company_id and a.job_id = p.id and a.attempt = p.attempt + 1 and a.fence = c.no
left join core.worker l on l.id = c.worker_id
where not exists (select from core.job_wait w where w.company_id = p.company_id and w.id = p.id)
  and not exists (select from core.job_end e where e.company_id = p.company_id and e.id = p.id)
  and not exists (
    select from core.job_post n where n.company_id = p.company_id and n.id = p.id and n.round > p.round);

comment on view core.job is 'All jobs, each once, where it stands now.';
comment on column core.job.company_id is 'The company it is done for; the system company for the engine''s own.';
comment on column core.job.id is 'Key of the job; also its idempotency key towards others.';
comment on column core.job.queue is 'Which workers take it.';
comment on column core.job.kind is 'Which handler runs it.';
comment on column core.job.state is 'queued, running, retrying, succeeded, dead or cancelled.';
comment on column core.job.priority is '1 urgent, 2 normal, 3 low, 4 when idle.';
comment on column core.job.run_at is 'Not before; when it was enqueued, once that is past.';
comment on column core.job.attempt is 'How often it was begun.';
comment on column core.job.max_attempts is 'After so many failures it is dead.';
comment on column core.job.fence is 'The claim it is part of.';
comment on column core.job.lease_until is 'While running: after this its worker is taken for lost.';
comment on column core.job.worker_id is 'Who has it, or had it last.';
comment on column core.job.unique_key is 'At most one open job of the kind and key in a company.';
comment on column core.job.created_at is 'When it was enqueued.';
comment on column core.job.finished_at is 'When it succeeded, died or was cancelled.';
comment on column core.job.lane is 'Its lane.';
comment on column core.job.cause_type is 'Type of the record that caused it.';
comment on column core.job.cause_id is 'The record that caused it.';
comment on column core.job.trace_id is 'Trace of the request that caused it.';
grant select on core.job to fettle_app, fettle_worker, fettle_admin;

create view core.job_run with (security_invoker = true) as
select a.company_id, a.job_id, a.attempt, a.fence, a.worker_id, a.started_at, a.finished_at, a.outcome, a.error
from core.job_attempt a
union all
select p.company_id, p.id, p.attempt + 1, c.no, c.worker_id, c.at, s.at, 'succeeded', null
from core.job_post p
cross join lateral (
  select c.no, c.worker_id, c.at
  from core.job_claim c
  where c.company_id = p.company_id and c.lane = p.lane
    and (c.lane, c.last_xid, c.last_id) >= (p.lane, p.xid, p.id)
    and (c.after_xid, c.after_id) < (p.xid, p.id)
    and pg_visible_in_snapshot(p.xid, c.upto) and not pg_visible_in_snapshot(p.xid, c.before)
  order by c.lane, c.last_xid, c.last_id
  limit 1
) c
join core.job_settlement s
  on s.company_id = p.company_id and s.lane = p.lane and s.no = c.no and s.outcome = 'finished'
where not exists (
    select from core.job_attempt a
    where a.company_id = p.company_id and a.job_id = p.id and a.attempt = p.attempt + 1 and a.fence = c.no)
  and not exists (select from core.job_wait w where w.company_id = p.company_id and w.id = p.id)
  and not exists (select from core.job_end e where e.company_id = p.company_id and e.id = p.id)
  and not exists (
    select from core.job_post n where n.company_id = p.company_id and n.id = p.id and n.round > p.round);

comment on view core.job_run is 'Every attempt at every job, also those that succeeded as part of their claim.';
comment on column core.job_run.company_id is 'The company.';
comment on column core.job_run.job_id is 'The job.';
comment on column core.job_run.attempt is 'Which attempt, from 1; one that was put off does not count.';
comment on column core.job_run.fence is 'The claim it was part of.';
comment on column core.job_run.worker_id is 'Who made it.';
comment on column core.job_run.started_at is 'When it began; of one that succeeded as part of its claim, when that was made.';
comment on column core.job_run.finished_at is 'When it ended; of one that succeeded as part of its claim, when that was settled.';
comment on column core.job_run.outcome is 'succeeded, failed, snoozed (put off), lost (its worker died) or cancelled.';
comment on column core.job_run.error is 'What went wrong.';
grant select on core.job_run to fettle_app, fettle_worker, fettle_admin;

create view core.job_payload with (security_invoker = true) as
select w.company_id, w.id as job_id, w.payload, w.cause_type, w.cause_id, w.trace_id from core.job_wait w
union all
select e.company_id, e.id, e.payload, e.cause_type, e.cause_id, e.trace_id from core.job_end e
union all
select p.company_id, p.id, p.payload, p.cause_type, p.cause_id, p.trace_id
from core.job_post p
where not exists (select from core.job_wait w where w.company_id = p.company_id and w.id = p.id)
  and not exists (select from core.job_end e where e.company_id = p.company_id and e.id = p.id)
  and not exists (
    select from core.job_post n where n.company_id = p.company_id and n.id = p.id and n.round > p.round);

comment on view core.job_payload is 'What jobs are about.';
comment on column core.job_payload.company_id is 'The company.';
comment on column core.job_payload.job_id is 'The job.';
comment on column core.job_payload.payload is 'Ids for the handler, never rights.';
comment on column core.job_payload.cause_type is 'Type of the record that caused it.';
comment on column core.job_payload.cause_id is 'The record that caused it.';
comment on column core.job_payload.trace_id is 'Trace of the request that caused it.';
grant select on core.job_payload to fettle_app, fettle_worker;
