-- Pauses and limits of jobs, and the shares of limits that workers hold. Written through entry functions only.

create table core.job_pause (
  company_id uuid        not null,
  id         uuid        not null default gen_random_uuid(),
  queue      text        check (queue ~ '^[a-z][a-z0-9_-]{0,62}$'),
  kind       text        check (kind ~ '^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*$'),
  reason     text        check (length(reason) between 1 and 500),
  paused_by  text        not null,
  created_at timestamptz not null default now(),
  primary key (company_id, id),
  unique nulls not distinct (company_id, queue, kind)
);

comment on table  core.job_pause is 'Pauses: no worker claims the jobs until the pause is removed.';
comment on column core.job_pause.company_id is
  'Company whose jobs are paused; the system company for all companies.';
comment on column core.job_pause.id is 'Key of the pause.';
comment on column core.job_pause.queue is 'Paused queue; null for any queue.';
comment on column core.job_pause.kind is 'Paused kind of job; null for any kind.';
comment on column core.job_pause.reason is 'Reason for the pause; null if not given.';
comment on column core.job_pause.paused_by is 'Operator who paused the jobs.';
comment on column core.job_pause.created_at is 'Time of pausing.';

alter table core.job_pause enable row level security;
alter table core.job_pause force row level security;
create policy tenant on core.job_pause for select to fettle_app, fettle_worker
  using (company_id = (select core.current_company()));
create policy operator_select on core.job_pause for select to fettle_admin using (true);
create policy auth on core.job_pause to fettle_auth using (true) with check (true);
grant select on core.job_pause to fettle_app, fettle_worker, fettle_admin;
grant select, insert, delete on core.job_pause to fettle_auth;

create table core.job_limit (
  company_id   uuid        not null,
  id           uuid        not null default gen_random_uuid(),
  queue        text        check (queue ~ '^[a-z][a-z0-9_-]{0,62}$'),
  kind         text        check (kind ~ '^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*$'),
  each_company boolean     not null default false,
  max_running  integer     check (max_running between 1 and 1000000),
  rate_count   integer     check (rate_count between 1 and 100000000),
  rate_period  interval    check (rate_period between interval '1 second' and interval '31 days'),
  made_by      text        not null,
  created_at   timestamptz not null default now(),
  primary key (company_id, id),
  unique nulls not distinct (company_id, queue, kind, each_company),
  constraint job_limit_limits check (max_running is not null or rate_count is not null),
  constraint job_limit_rate_is_whole check ((rate_count is null) = (rate_period is null)),
  constraint job_limit_each_is_for_all
    check (not each_company or company_id = '00000000-0000-7000-8000-000000000000')
);

comment on table  core.job_limit is
  'Limits on the number of running jobs and on the rate at which jobs start.';
comment on column core.job_limit.company_id is
  'Company whose jobs are limited; the system company for all companies.';
comment on column core.job_limit.id is 'Key of the limit.';
comment on column core.job_limit.queue is 'Limited queue; null for any queue.';
comment on column core.job_limit.kind is 'Limited kind of job; null for any kind.';
comment on column core.job_limit.each_company is
  'True if a limit for all companies applies to each one separately; false if to all together.';
comment on column core.job_limit.max_running is 'Maximum number of running jobs; null for no limit.';
comment on column core.job_limit.rate_count is
  'Number of starts per period; unused starts accumulate up to this number. Null for no limit.';
comment on column core.job_limit.rate_period is 'Period of the rate; null if rate_count is.';
comment on column core.job_limit.made_by is 'Operator who set the limit.';
comment on column core.job_limit.created_at is 'Time at which the limit was set.';

alter table core.job_limit enable row level security;
alter table core.job_limit force row level security;
create policy tenant on core.job_limit for select to fettle_app, fettle_worker
  using (company_id = (select core.current_company()));
create policy operator_select on core.job_limit for select to fettle_admin using (true);
create policy auth on core.job_limit to fettle_auth using (true) with check (true);
grant select on core.job_limit to fettle_app, fettle_worker, fettle_admin;
grant select, insert, update (max_running, rate_count, rate_period, made_by), delete on core.job_limit
  to fettle_auth;

create table core.job_token (
  company_id uuid    not null,
  limit_id   uuid    not null,
  worker_id  uuid    not null,
  leased     integer not null check (leased > 0),
  primary key (company_id, limit_id, worker_id)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);

comment on table  core.job_token is 'Tokens of a limit on running jobs that are leased to workers.';
comment on column core.job_token.company_id is
  'Company whose share of the limit this is; the system company for the common share.';
comment on column core.job_token.limit_id is 'The limit.';
comment on column core.job_token.worker_id is
  'Worker that holds the tokens; tokens of an unregistered worker are free.';
comment on column core.job_token.leased is 'Number of leased tokens, each for one running job.';

alter table core.job_token enable row level security;
alter table core.job_token force row level security;
create policy tenant on core.job_token for select to fettle_app, fettle_worker
  using (company_id = (select core.current_company()));
create policy operator_select on core.job_token for select to fettle_admin using (true);
create policy auth on core.job_token to fettle_auth using (true) with check (true);
grant select on core.job_token to fettle_app, fettle_worker, fettle_admin;
grant select, insert, update (leased), delete on core.job_token to fettle_auth;

create table core.job_rate (
  company_id uuid             not null,
  limit_id   uuid             not null,
  ready      double precision not null,
  at         timestamptz      not null,
  primary key (company_id, limit_id)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);

comment on table  core.job_rate is 'Token buckets of rates.';
comment on column core.job_rate.company_id is
  'Company whose share of the rate this is; the system company for the common share.';
comment on column core.job_rate.limit_id is 'The limit.';
comment on column core.job_rate.ready is
  'Tokens in the bucket at the time in column at: the number of jobs that could start.';
comment on column core.job_rate.at is 'Time of the last change, by the database''s clock.';

alter table core.job_rate enable row level security;
alter table core.job_rate force row level security;
create policy tenant on core.job_rate for select to fettle_app, fettle_worker
  using (company_id = (select core.current_company()));
create policy operator_select on core.job_rate for select to fettle_admin using (true);
create policy auth on core.job_rate to fettle_auth using (true) with check (true);
grant select on core.job_rate to fettle_app, fettle_worker, fettle_admin;
grant select, insert, update (ready, at), delete on core.job_rate to fettle_auth;
