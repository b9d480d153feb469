-- Counters of the queue: how many rows are enqueued and claimed in each lane, so that no job needs counting.
--
-- They are brought up to date from one snapshot to the next: rows committed in between are found by the index on
-- transactions, and new claims by their number, since claims of a lane commit in that order. Only a lane with more rows
-- than claimed jobs can have an uncounted claim. One session at a time does it, and claiming touches none of it: a
-- pinned snapshot slows the counters and not the queue. Lists go through lanes, and within a lane through the index on
-- (lane, xid, id); no statement here needs statistics to find its index.

create table core.job_count (
  company_id uuid     not null,
  lane       uuid     not null,
  queue      text     not null,
  kind       text     not null,
  priority   smallint not null,
  enqueued   bigint   not null,
  claimed    bigint   not null default 0,
  claim_no   bigint   not null default 0,
  claim_week date     not null default '-infinity',
  claim_xid  xid8     not null default '0',
  since_xid  xid8     not null,
  last_xid   xid8     not null,
  primary key (company_id, lane)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);

comment on table  core.job_count is 'Enqueued and claimed rows of each lane, as of core.job_count_mark.';
comment on column core.job_count.company_id is 'The company of the lane.';
comment on column core.job_count.lane is 'The lane.';
comment on column core.job_count.queue is 'Queue of the lane.';
comment on column core.job_count.kind is 'Kind of the lane.';
comment on column core.job_count.priority is 'Priority of the lane.';
comment on column core.job_count.enqueued is 'Number of rows ever enqueued, retries included.';
comment on column core.job_count.claimed is 'Number of enqueued rows that are in claims.';
comment on column core.job_count.claim_no is 'Number of the last counted claim; 0 if none.';
comment on column core.job_count.claim_week is
  'Week of the last counted claim; no later claim is in an earlier week.';
comment on column core.job_count.claim_xid is 'Transaction of the last row of the last counted claim.';
comment on column core.job_count.since_xid is 'First transaction that enqueued after the lane had been empty.';
comment on column core.job_count.last_xid is 'Last transaction that enqueued.';

alter table core.job_count enable row level security;
alter table core.job_count force row level security;
create policy tenant on core.job_count for select to fettle_app, fettle_worker
  using (company_id = (select core.current_company()));
create policy operator_select on core.job_count for select to fettle_admin using (true);
create policy doors on core.job_count to fettle_auth using (true) with check (true);
grant select on core.job_count to fettle_app, fettle_worker, fettle_admin;
grant select, insert, update, delete on core.job_count to fettle_auth;

create table core.job_count_mark (
  company_id uuid        not null primary key,
  upto       pg_snapshot not null,
  counted_at timestamptz not null,
  scanned_at  timestamptz not null default '-infinity'
) with (fillfactor = 10);

comment on table  core.job_count_mark is 'Snapshot up to which the lanes are counted; one row.';
comment on column core.job_count_mark.company_id is 'The system company.';
comment on column core.job_count_mark.upto is 'Snapshot of the last count: rows visible in it are counted.';
comment on column core.job_count_mark.counted_at is 'Time of the last update of the counters.';
comment on column core.job_count_mark.scanned_at is
  'Time of the last count of all open lanes, not only of those with new claims.';

insert into core.job_count_mark (company_id, upto, counted_at)
values ('00000000-0000-7000-8000-000000000000', '1:1:', '-infinity');

alter table core.job_count_mark enable row level security;
alter table core.job_count_mark force row level security;
create policy tenant on core.job_count_mark for select to fettle_app, fettle_worker
  using (company_id = (select core.current_company()));
create policy operator_select on core.job_count_mark for select to fettle_admin using (true);
create policy doors on core.job_count_mark to fettle_auth using (true) with check (true);
grant select on core.job_count_mark to fettle_app, fettle_worker, fettle_admin;
grant select, insert, update, delete on core.job_count_mark to fettle_auth;

create table core.job_moment (
  company_id uuid        not null,
  xid        xid8        not null,
  at         timestamptz not null,
  primary key (company_id, xid)
);

comment on table  core.job_moment is 'Next transaction id at sampled times, used to date queued rows.';
comment on column core.job_moment.company_id is 'The system company.';
comment on column core.job_moment.xid is
  'Next transaction id: no transaction from this one on had begun at the time in column at.';
comment on column core.job_moment.at is 'Sampled time.';

alter table core.job_moment enable row level security;
alter table core.job_moment force row level security;
create policy tenant on core.job_moment for select to fettle_app, fettle_worker
  using (company_id = (select core.current_company()));
create policy operator_select on core.job_moment for select to fettle_admin using (true);
create policy doors on core.job_moment to fettle_auth using (true) with check (true);
grant select on core.job_moment to fettle_app, fettle_worker, fettle_admin;
grant select, insert, update, delete on core.job_moment to fettle_auth;

create table core.job_pace (
  company_id uuid        not null,
  at         timestamptz not null,
  queue      text        not null,
  kind       text        not null,
  started    bigint      not null,
  primary key (company_id, at, queue, kind)
) with (fillfactor = 50);

comment on table  core.job_pace is 'Number of jobs claimed per ten seconds, over all companies.';
comment on column core.job_pace.company_id is 'The system company.';
comment on column core.job_pace.at is 'Start of the ten seconds.';
comment on column core.job_pace.queue is 'The queue.';
comment on column core.job_pace.kind is 'The kind.';
comment on column core.job_pace.started is 'Number of claimed jobs.';

alter table core.job_pace enable row level security;
alter table core.job_pace force row level security;
create policy tenant on core.job_pace for select to fettle_app, fettle_worker
  using (company_id = (select core.current_company()));
create policy operator_select on core.job_pace for select to fettle_admin using (true);
create policy doors on core.job_pace to fettle_auth using (true) with check (true);
grant select on core.job_pace to fettle_app, fettle_worker, fettle_admin;
grant select, insert, update, delete on core.job_pace to fettle_auth;
