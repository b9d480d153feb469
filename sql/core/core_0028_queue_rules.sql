-- Rules of the queue: what rests, how much of it runs at once, and how much of it begins in a while.
--
-- A rule is for a company, or with the system company for every company; a queue or a kind that is null stands for
-- any. Workers read all rules when they start and when fettle_rules is notified, leave lanes that rest out of their
-- walk, and lease tokens for lanes that are limited: not a token a job, but as many as a worker means to use, so that
-- the database is asked seldom. What a worker holds counts as long as it is on the list of workers: a dead one blocks
-- nobody for longer than its lease, and a limit holds while nobody knows yet whether it lives.

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

do $$
declare
  target text;
begin
  foreach target in array array['job_pause', 'job_limit', 'job_token', 'job_rate'] loop
    execute format('alter table core.%I enable row level security', target);
    execute format('alter table core.%I force row level security', target);
    execute format(
      'create policy tenant on core.%I for select to fettle_app, fettle_worker '
      'using (company_id = (select core.current_company()))', target);
    execute format('create policy operator_select on core.%I for select to fettle_admin using (true)', target);
    execute format('create policy doors on core.%I to fettle_auth using (true) with check (true)', target);
  end loop;
end
$$;

grant select on core.job_pause, core.job_limit, core.job_token, core.job_rate
  to fettle_app, fettle_worker, fettle_admin, fettle_auth;
grant insert, delete on core.job_pause to fettle_auth;
grant insert, delete, update (max_running, rate_count, rate_period, made_by) on core.job_limit to fettle_auth;
grant insert, delete, update (leased) on core.job_token to fettle_auth;
grant insert, delete, update (ready, at) on core.job_rate to fettle_auth;

set local row_security = on;

create function core.pause_jobs(p_company uuid, p_queue text, p_kind text, p_reason text, p_by text) returns boolean
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
begin
  insert into core.job_pause (company_id, queue, kind, reason, paused_by)
  values (p_company, p_queue, p_kind, p_reason, p_by)
  on conflict (company_id, queue, kind) do nothing;
  if not found then return false; end if;
  notify fettle_rules;
  return true;
end
$$;

comment on function core.pause_jobs(uuid, text, text, text, text) is
  'Lets jobs of a company, queue and kind rest, null standing for any queue or kind; false: they rest already.';

create function core.resume_jobs(p_company uuid, p_queue text, p_kind text) returns boolean
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
begin
  delete from core.job_pause p
  where p.company_id = p_company and p.queue is not distinct from p_queue and p.kind is not distinct from p_kind;
  if not found then return false; end if;
  notify fettle_rules;
  return true;
end
$$;

comment on function core.resume_jobs(uuid, text, text) is
  'Takes back the pause of exactly this company, queue and kind; false: there is none.';

create function core.limit_jobs(
    p_company uuid, p_queue text, p_kind text, p_each boolean, p_max_running integer, p_rate_count integer,
    p_rate_period interval, p_by text)
  returns uuid
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
declare
  v_id uuid;
begin
  insert into core.job_limit
    (company_id, queue, kind, each_company, max_running, rate_count, rate_period, made_by)
  values (p_company, p_queue, p_kind, p_each, p_max_running, p_rate_count, p_rate_period, p_by)
  on conflict (company_id, queue, kind, each_company) do update
  set max_running = excluded.max_running, rate_count = excluded.rate_count, rate_period = excluded.rate_period,
      made_by = excluded.made_by
  returning id into v_id;
  notify fettle_rules;
  return v_id;
end
$$;

comment on function core.limit_jobs(uuid, text, text, boolean, integer, integer, interval, text) is
  'Sets the limit for jobs of a company, queue and kind, in place of the one there was; says which it is.';

create function core.unlimit_jobs(p_company uuid, p_queue text, p_kind text, p_each boolean) returns boolean
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
declare
  v_id uuid;
begin
  delete from core.job_limit l
  where l.company_id = p_company and l.queue is not distinct from p_queue and l.kind is not distinct from p_kind
    and l.each_company = p_each
  returning l.id into v_id;
  if not found then return false; end if;
  delete from core.job_token t where t.limit_id = v_id;
  delete from core.job_rate r where r.limit_id = v_id;
  notify fettle_rules;
  return true;
end
$$;

comment on function core.unlimit_jobs(uuid, text, text, boolean) is
  'Takes a limit away, with the tokens that are leased under it; false: there is none.';

create function core.job_rules()
  returns table (
    rule text, company_id uuid, id uuid, queue text, kind text, each_company boolean, max_running integer,
    rate_count integer, rate_seconds double precision)
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  select 'pause', p.company_id, p.id, p.queue, p.kind, false, null::integer, null::integer, null::double precision
  from core.job_pause p
  union all
  select 'limit', l.company_id, l.id, l.queue, l.kind, l.each_company, l.max_running, l.rate_count,
    extract(epoch from l.rate_period)::double precision
  from core.job_limit l
$$;

comment on function core.job_rules() is 'Everything that rests or is limited, for workers.';

revoke execute on function core.pause_jobs(uuid, text, text, text, text), core.resume_jobs(uuid, text, text),
  core.limit_jobs(uuid, text, text, boolean, integer, integer, interval, text),
  core.unlimit_jobs(uuid, text, text, boolean), core.job_rules()
  from public;
grant execute on function core.pause_jobs(uuid, text, text, text, text), core.resume_jobs(uuid, text, text),
  core.limit_jobs(uuid, text, text, boolean, integer, integer, interval, text),
  core.unlimit_jobs(uuid, text, text, boolean)
  to fettle_admin;
grant execute on function core.job_rules() to fettle_worker, fettle_admin;

grant create on schema core to fettle_auth;
alter function core.pause_jobs(uuid, text, text, text, text) owner to fettle_auth;
alter function core.resume_jobs(uuid, text, text) owner to fettle_auth;
alter function core.limit_jobs(uuid, text, text, boolean, integer, integer, interval, text) owner to fettle_auth;
alter function core.unlimit_jobs(uuid, text, text, boolean) owner to fettle_auth;
alter function core.job_rules() owner to fettle_auth;
revoke create on schema core from fettle_auth;
