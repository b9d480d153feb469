-- Pauses, limits and rates of jobs, and how workers share them. Written through entry functions only.

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

comment on table  core.job_pause is 'What rests: jobs that no worker claims until it is resumed.';
comment on column core.job_pause.company_id is 'Whose jobs; the system company: every company''s.';
comment on column core.job_pause.id is 'Key.';
comment on column core.job_pause.queue is 'Only jobs of this queue; null: of any.';
comment on column core.job_pause.kind is 'Only jobs of this kind; null: of any.';
comment on column core.job_pause.reason is 'Why, for people.';
comment on column core.job_pause.paused_by is 'Who paused it.';
comment on column core.job_pause.created_at is 'Since when.';

alter table core.job_pause enable row level security;
alter table core.job_pause force row level security;
create policy tenant on core.job_pause for select to fettle_app, fettle_worker
  using (company_id = (select core.current_company()));
create policy operator_select on core.job_pause for select to fettle_admin using (true);
create policy doors on core.job_pause to fettle_auth using (true) with check (true);
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

comment on table  core.job_limit is 'How many jobs run at once, and how many begin in a while.';
comment on column core.job_limit.company_id is 'Whose jobs; the system company: every company''s.';
comment on column core.job_limit.id is 'Key.';
comment on column core.job_limit.queue is 'Jobs of this queue; null: of any.';
comment on column core.job_limit.kind is 'Jobs of this kind; null: of any.';
comment on column core.job_limit.each_company is
  'With the system company: the figures are for each company by itself, not for all of them together.';
comment on column core.job_limit.max_running is 'So many run at once at most; null: any number.';
comment on column core.job_limit.rate_count is
  'So many begin in a period: at most so many at once, and then evenly over the period; null: any number.';
comment on column core.job_limit.rate_period is 'The period.';
comment on column core.job_limit.made_by is 'Who set it.';
comment on column core.job_limit.created_at is 'Since when.';

alter table core.job_limit enable row level security;
alter table core.job_limit force row level security;
create policy tenant on core.job_limit for select to fettle_app, fettle_worker
  using (company_id = (select core.current_company()));
create policy operator_select on core.job_limit for select to fettle_admin using (true);
create policy doors on core.job_limit to fettle_auth using (true) with check (true);
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

comment on table  core.job_token is 'How many jobs of a limit each worker may run.';
comment on column core.job_token.company_id is 'Whose share of the limit; the system company: that of all together.';
comment on column core.job_token.limit_id is 'The limit.';
comment on column core.job_token.worker_id is 'The worker; once it is off the list of workers its tokens are nobody''s.';
comment on column core.job_token.leased is 'How many.';

alter table core.job_token enable row level security;
alter table core.job_token force row level security;
create policy tenant on core.job_token for select to fettle_app, fettle_worker
  using (company_id = (select core.current_company()));
create policy operator_select on core.job_token for select to fettle_admin using (true);
create policy doors on core.job_token to fettle_auth using (true) with check (true);
grant select on core.job_token to fettle_app, fettle_worker, fettle_admin;
grant select, insert, update (leased), delete on core.job_token to fettle_auth;

create table core.job_rate (
  company_id uuid             not null,
  limit_id   uuid             not null,
  ready      double precision not null,
  at         timestamptz      not null,
  primary key (company_id, limit_id)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);

comment on table  core.job_rate is 'How many more jobs of a rate may begin.';
comment on column core.job_rate.company_id is 'Whose share of the rate; the system company: that of all together.';
comment on column core.job_rate.limit_id is 'The limit.';
comment on column core.job_rate.ready is 'How many might begin at that time.';
comment on column core.job_rate.at is 'The time, the database''s.';

alter table core.job_rate enable row level security;
alter table core.job_rate force row level security;
create policy tenant on core.job_rate for select to fettle_app, fettle_worker
  using (company_id = (select core.current_company()));
create policy operator_select on core.job_rate for select to fettle_admin using (true);
create policy doors on core.job_rate to fettle_auth using (true) with check (true);
grant select on core.job_rate to fettle_app, fettle_worker, fettle_admin;
grant select, insert, update (ready, at), delete on core.job_rate to fettle_auth;
