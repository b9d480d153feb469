-- What becomes of the queue when a database is restored elsewhere.
--
-- Posts and claims name transactions, and those belong to one server: in a database that was restored from a dump they
-- mean nothing, or something else. Whether that has happened a row tells that keeps the transaction which wrote it: in
-- the server's own record of the row (xmin) it is the same one, unless the row came by a dump. What was copied with the
-- whole server, by pg_basebackup or pg_upgrade, is as it was.
-- A worker that finds it so has everything taken over, before it claims anything: finished jobs as finished, with
-- their attempts; open ones wait for their time, which is now. Then lanes begin anew.

set local row_security = on;

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
grant select on core.job_home to fettle_admin, fettle_auth;
grant update (xid) on core.job_home to fettle_auth;

create function core.jobs_are_home() returns boolean
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  select exists (
    select from core.job_home h where h.xmin::text::bigint = h.xid::text::bigint & 4294967295)
$$;

comment on function core.jobs_are_home() is 'Whether the queue names transactions of this server; false after a restore from a dump.';

create function core.adopt_jobs() returns integer
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
declare
  adopted integer;
begin
  if core.jobs_are_home() then return 0; end if;
  perform pg_advisory_xact_lock(hashtextextended('core.job_home', 7450));
  if core.jobs_are_home() then return 0; end if;
  -- Nobody posts meanwhile; what was posted after the restore is known by its own record of its transaction.
  lock table core.job_post, core.job_claim, core.job_settlement in access exclusive mode;
  with taken as materialized (
    select p.company_id, p.id, p.round,
      case when p.xmin::text::bigint = p.xid::text::bigint & 4294967295 then 'queued' else j.state end as state,
      j.attempt, j.finished_at,
      exists (
        select from core.job_stop t where t.company_id = p.company_id and t.id = p.id and t.round = p.round) as is_stopped
    from core.job_post p
    join core.job j on j.company_id = p.company_id and j.id = p.id
    where not exists (
        select from core.job_post n where n.company_id = p.company_id and n.id = p.id and n.round > p.round)
      and not exists (select from core.job_wait w where w.company_id = p.company_id and w.id = p.id)
      and not exists (select from core.job_end e where e.company_id = p.company_id and e.id = p.id)
  ), attempts as (
    -- Those that only their claims tell of.
    insert into core.job_attempt
      (company_id, job_id, attempt, fence, worker_id, started_at, finished_at, outcome)
    select r.company_id, r.job_id, r.attempt, r.fence, r.worker_id, r.started_at, r.finished_at, r.outcome
    from taken t
    join core.job_run r on r.company_id = t.company_id and r.job_id = t.id and r.attempt = t.attempt
    where t.state = 'succeeded'
      and not exists (
        select from core.job_attempt o
        where o.company_id = r.company_id and o.job_id = r.job_id and o.attempt = r.attempt and o.fence = r.fence)
  ), ended as (
    insert into core.job_end
      (company_id, id, round, state, finished_at, lane, queue, kind, priority, attempt, max_attempts, unique_key,
       created_at, cause_type, cause_id, trace_id, payload)
    select p.company_id, p.id, p.round, case when t.state = 'succeeded' then 'succeeded' else 'cancelled' end,
      coalesce(t.finished_at, clock_timestamp()), p.lane, p.queue, p.kind, p.priority, t.attempt, p.max_attempts,
      p.unique_key, p.created_at, p.cause_type, p.cause_id, p.trace_id, p.payload
    from taken t
    join core.job_post p on p.company_id = t.company_id and p.id = t.id and p.round = t.round
    where t.state = 'succeeded' or t.is_stopped
  ), waiting as (
    insert into core.job_wait
      (company_id, id, round, run_at, lane, queue, kind, priority, attempt, max_attempts, is_alone, unique_key,
       created_at, cause_type, cause_id, trace_id, payload)
    select p.company_id, p.id, p.round + 1, clock_timestamp(), p.lane, p.queue, p.kind, p.priority, p.attempt,
      p.max_attempts, p.is_alone, p.unique_key, p.created_at, p.cause_type, p.cause_id, p.trace_id, p.payload
    from taken t
    join core.job_post p on p.company_id = t.company_id and p.id = t.id and p.round = t.round
    where t.state <> 'succeeded' and not t.is_stopped
    returning id
  )
  select count(*) into adopted from waiting;
  perform core.free_job_key(e.company_id, e.kind, e.unique_key, e.id)
  from core.job_stop t
  join core.job_end e on e.company_id = t.company_id and e.id = t.id
  where e.unique_key is not null;
  delete from core.job_settlement;
  delete from core.job_claim;
  delete from core.job_post;
  delete from core.job_stop;
  delete from core.job_begin;
  delete from core.job_tally;
  delete from core.job_moment;
  update core.job_tally_mark set upto = '1:1:', counted_at = '-infinity';
  delete from core.worker;
  update core.job_home set xid = pg_current_xact_id();
  return adopted;
end
$$;

comment on function core.adopt_jobs() is
  'Takes the queue over after a restore from a dump, and says how many open jobs there were; does nothing at home.';

revoke execute on function core.jobs_are_home(), core.adopt_jobs() from public;
grant execute on function core.jobs_are_home() to fettle_worker, fettle_admin, fettle_auth;
grant execute on function core.adopt_jobs() to fettle_worker, fettle_admin;
grant delete on core.job_post, core.job_claim, core.job_settlement to fettle_auth;
grant select on core.job, core.job_run to fettle_auth;

grant create on schema core to fettle_auth;
alter function core.jobs_are_home() owner to fettle_auth;
alter function core.adopt_jobs() owner to fettle_auth;
revoke create on schema core from fettle_auth;
