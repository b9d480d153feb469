-- Work for later: the queue, the notices it delivers and the addresses it calls.

create table core.worker (
  id           uuid        primary key,
  host         text        not null,
  pid          integer     not null,
  started_at   timestamptz not null default now(),
  heartbeat_at timestamptz not null default now(),
  queues       text[]      not null
);

comment on table  core.worker is 'Worker processes that are alive, or were lately. Global, no company.';
comment on column core.worker.id is 'Made anew at every start.';
comment on column core.worker.host is 'Where it runs.';
comment on column core.worker.pid is 'Its process there.';
comment on column core.worker.started_at is 'Since when.';
comment on column core.worker.heartbeat_at is 'When it last said that it is alive.';
comment on column core.worker.queues is 'The queues it serves.';

create table core.job (
  company_id   uuid        not null,
  id           uuid        not null,
  queue        text        not null default 'default' check (queue ~ '^[a-z][a-z0-9_-]{0,62}$'),
  kind         text        not null check (kind ~ '^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*$'),
  state        text        not null default 'queued'
                           check (state in
                             ('queued', 'running', 'retrying', 'succeeded', 'dead', 'cancelled')),
  priority     smallint    not null default 2 check (priority between 1 and 4),
  run_at       timestamptz not null default now(),
  attempt      integer     not null default 0 check (attempt >= 0),
  max_attempts integer     not null default 5 check (max_attempts between 1 and 1000),
  fence        bigint      not null default 0 check (fence >= 0),
  lease_until  timestamptz,
  worker_id    uuid,
  unique_key   text        check (length(unique_key) between 1 and 200),
  created_at   timestamptz not null default now(),
  finished_at  timestamptz,
  primary key (company_id, id),
  constraint job_running_is_leased check ((state = 'running') = (lease_until is not null)),
  constraint job_finished_says_when
    check ((state in ('succeeded', 'dead', 'cancelled')) = (finished_at is not null))
) with (
  fillfactor = 70,
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_insert_scale_factor = 0.1
);

create index job_claim on core.job (queue, priority, run_at) where state in ('queued', 'retrying');
create index job_expired on core.job (lease_until) where state = 'running';
create index job_finished on core.job (finished_at) where finished_at is not null;
create unique index job_unique on core.job (company_id, kind, unique_key)
  where unique_key is not null and state in ('queued', 'retrying', 'running');

comment on table  core.job is
  'Jobs. Control: ids only, claimed by workers over all companies; what they are about is in job_payload.';
comment on column core.job.company_id is
  'The company it is done for; the system company for the engine''s own.';
comment on column core.job.id is 'Key of the job; also its idempotency key towards others.';
comment on column core.job.queue is 'Which workers take it.';
comment on column core.job.kind is 'Which handler runs it.';
comment on column core.job.state is 'queued, running, retrying, succeeded, dead or cancelled.';
comment on column core.job.priority is '1 urgent, 2 normal, 3 low, 4 when idle.';
comment on column core.job.run_at is 'Not before.';
comment on column core.job.attempt is 'How often it was started.';
comment on column core.job.max_attempts is 'After so many failures it is dead.';
comment on column core.job.fence is 'Grows with every claim; a worker with an older one may not finish it.';
comment on column core.job.lease_until is 'While running: after this another worker may take it.';
comment on column core.job.worker_id is 'Who took it last.';
comment on column core.job.unique_key is 'At most one open job of the kind and key in a company.';
comment on column core.job.created_at is 'When it was enqueued.';
comment on column core.job.finished_at is 'When it succeeded, died or was cancelled.';

create table core.job_payload (
  company_id uuid  not null,
  job_id     uuid  not null,
  payload    jsonb not null default '{}',
  cause_type text,
  cause_id   uuid,
  trace_id   text,
  primary key (company_id, job_id),
  foreign key (company_id, job_id) references core.job (company_id, id)
);

comment on table  core.job_payload is 'What a job is about; read inside its company only.';
comment on column core.job_payload.company_id is 'The company.';
comment on column core.job_payload.job_id is 'The job.';
comment on column core.job_payload.payload is 'Ids for the handler, never rights.';
comment on column core.job_payload.cause_type is 'Type of the record that caused it.';
comment on column core.job_payload.cause_id is 'The record that caused it.';
comment on column core.job_payload.trace_id is 'Trace of the request that caused it.';

create table core.job_attempt (
  company_id  uuid        not null,
  job_id      uuid        not null,
  attempt     integer     not null check (attempt > 0),
  fence       bigint      not null,
  worker_id   uuid,
  started_at  timestamptz not null,
  finished_at timestamptz,
  outcome     text        check (outcome in ('succeeded', 'failed', 'snoozed', 'lost', 'cancelled')),
  error       text,
  primary key (company_id, job_id, attempt),
  foreign key (company_id, job_id) references core.job (company_id, id)
);

comment on table  core.job_attempt is 'Attempts at jobs: who, when, how it ended.';
comment on column core.job_attempt.company_id is 'The company.';
comment on column core.job_attempt.job_id is 'The job.';
comment on column core.job_attempt.attempt is 'Which attempt, from 1.';
comment on column core.job_attempt.fence is 'The fence it held.';
comment on column core.job_attempt.worker_id is 'Who made it.';
comment on column core.job_attempt.started_at is 'When it began.';
comment on column core.job_attempt.finished_at is 'When it ended.';
comment on column core.job_attempt.outcome is
  'succeeded, failed, snoozed, lost (its worker died) or cancelled.';
comment on column core.job_attempt.error is 'What went wrong.';

create table core.notification (
  company_id  uuid        not null,
  id          uuid        not null,
  user_id     uuid        not null,
  template    text        not null,
  record_type text,
  record_id   uuid,
  data        jsonb       not null default '{}',
  dedupe_key  text,
  state       text        not null default 'queued'
                          check (state in ('queued', 'sent', 'read', 'cancelled', 'failed')),
  created_at  timestamptz not null default now(),
  read_at     timestamptz,
  primary key (company_id, id),
  foreign key (company_id, user_id) references core.membership (company_id, user_id)
);

create unique index notification_dedupe on core.notification (company_id, dedupe_key)
  where dedupe_key is not null;
create index on core.notification (company_id, user_id, created_at);

comment on table  core.notification is 'Notices to members.';
comment on column core.notification.company_id is 'The company.';
comment on column core.notification.id is 'Key of the notice.';
comment on column core.notification.user_id is 'Whom it is for.';
comment on column core.notification.template is 'Which text it has.';
comment on column core.notification.record_type is 'Type of the record it is about.';
comment on column core.notification.record_id is 'The record it is about.';
comment on column core.notification.data is 'What the text''s gaps are filled with.';
comment on column core.notification.dedupe_key is 'A second notice with this key is not made.';
comment on column core.notification.state is 'queued, sent, read, cancelled or failed.';
comment on column core.notification.created_at is 'When it was made.';
comment on column core.notification.read_at is 'When it was read.';

create table core.webhook (
  company_id uuid        not null,
  id         uuid        not null,
  url        text        not null check (url ~ '^https?://' and length(url) <= 2000),
  secret     bytea       not null check (octet_length(secret) >= 16),
  events     text[]      not null check (cardinality(events) > 0),
  active     boolean     not null default true,
  created_by uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (company_id, id),
  foreign key (company_id, created_by) references core.membership (company_id, user_id)
);

create index on core.webhook (company_id, created_by) where created_by is not null;

comment on table  core.webhook is 'Addresses that a company wants called when something happens.';
comment on column core.webhook.company_id is 'The company.';
comment on column core.webhook.id is 'Key of the webhook.';
comment on column core.webhook.url is 'Where to.';
comment on column core.webhook.secret is 'Secret: signs what is sent; encrypted by the engine.';
comment on column core.webhook.events is 'Names of the events, such as maintenance.entry.completed.';
comment on column core.webhook.active is 'Off: nothing is sent.';
comment on column core.webhook.created_by is 'The member who set it up; null: an operator.';
comment on column core.webhook.created_at is 'When.';
comment on column core.webhook.updated_at is 'When it was last changed.';
