-- Counters of the queue: the number of enqueued and claimed rows of each lane, so that nothing counts single jobs.
--
-- core.count_jobs() updates the counters from one snapshot to the next. The index on transactions finds the rows
-- committed in between; numbers find new claims, since claims of a lane commit in the order of their numbers. Only
-- a lane with more enqueued than claimed rows can have an uncounted claim. One session at a time updates the
-- counters, and claiming does not touch them: a pinned snapshot slows the counters and not the queue. Lists go
-- through lanes, and within a lane through the index on (lane, xid, id). No statement here needs statistics to
-- find its index.

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
  primary key (company_id, lane),
  constraint job_count_lane_of_company
    check (substring(uuid_send(lane), 1, 8) = substring(uuid_send(company_id), 9, 8))
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);

comment on table  core.job_count is 'Enqueued and claimed rows of each lane, as of core.job_count_mark.';
comment on column core.job_count.company_id is 'The company of the lane.';
comment on column core.job_count.lane is 'The lane.';
comment on column core.job_count.queue is 'Queue of the lane.';
comment on column core.job_count.kind is 'Kind of the lane.';
comment on column core.job_count.priority is 'Priority of the lane.';
comment on column core.job_count.enqueued is 'Number of rows enqueued so far, retries included.';
comment on column core.job_count.claimed is 'Number of enqueued rows that are in claims.';
comment on column core.job_count.claim_no is 'Number of the last counted claim; 0 if none.';
comment on column core.job_count.claim_week is
  'Week of the last counted claim, -infinity if none; later claims are in this week or a later one.';
comment on column core.job_count.claim_xid is 'Transaction of the last row of the last counted claim.';
comment on column core.job_count.since_xid is
  'First transaction that enqueued since the lane was last empty.';
comment on column core.job_count.last_xid is 'Last transaction that enqueued in the lane.';

alter table core.job_count enable row level security;
alter table core.job_count force row level security;
create policy tenant on core.job_count for select to fettle_app, fettle_worker
  using (company_id = (select core.current_company()));
create policy operator_select on core.job_count for select to fettle_admin using (true);
create policy auth on core.job_count to fettle_auth using (true) with check (true);
grant select on core.job_count to fettle_app, fettle_worker, fettle_admin;
grant select, insert, update, delete on core.job_count to fettle_auth;

create table core.job_count_mark (
  company_id uuid        not null primary key,
  upto       pg_snapshot not null,
  counted_at timestamptz not null,
  scanned_at  timestamptz not null default '-infinity'
) with (fillfactor = 10);

comment on table  core.job_count_mark is 'One row with the snapshot up to which all lanes are counted.';
comment on column core.job_count_mark.company_id is 'The system company.';
comment on column core.job_count_mark.upto is 'Snapshot of the last count: rows visible in it are counted.';
comment on column core.job_count_mark.counted_at is 'Time of the last update of the counters.';
comment on column core.job_count_mark.scanned_at is
  'Time of the last full count, which reads all open lanes and not only those with recent claims.';

insert into core.job_count_mark (company_id, upto, counted_at)
values ('00000000-0000-7000-8000-000000000000', '1:1:', '-infinity');

alter table core.job_count_mark enable row level security;
alter table core.job_count_mark force row level security;
create policy tenant on core.job_count_mark for select to fettle_app, fettle_worker
  using (company_id = (select core.current_company()));
create policy operator_select on core.job_count_mark for select to fettle_admin using (true);
create policy auth on core.job_count_mark to fettle_auth using (true) with check (true);
grant select on core.job_count_mark to fettle_app, fettle_worker, fettle_admin;
grant select, insert, update, delete on core.job_count_mark to fettle_auth;

create table core.job_moment (
  company_id uuid        not null,
  xid        xid8        not null,
  at         timestamptz not null,
  primary key (company_id, xid)
);

comment on table  core.job_moment is
  'Next transaction id at the time of each count, from which the age of queued rows is estimated.';
comment on column core.job_moment.company_id is 'The system company.';
comment on column core.job_moment.xid is
  'Next transaction id at that time: this transaction and later ones had not begun.';
comment on column core.job_moment.at is 'Time of the count.';

alter table core.job_moment enable row level security;
alter table core.job_moment force row level security;
create policy tenant on core.job_moment for select to fettle_app, fettle_worker
  using (company_id = (select core.current_company()));
create policy operator_select on core.job_moment for select to fettle_admin using (true);
create policy auth on core.job_moment to fettle_auth using (true) with check (true);
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

comment on table  core.job_pace is
  'Number of jobs claimed in each interval of ten seconds, over all companies, for two hours.';
comment on column core.job_pace.company_id is 'The system company.';
comment on column core.job_pace.at is 'Start of the interval.';
comment on column core.job_pace.queue is 'The queue.';
comment on column core.job_pace.kind is 'The kind.';
comment on column core.job_pace.started is 'Number of claimed jobs.';

alter table core.job_pace enable row level security;
alter table core.job_pace force row level security;
create policy tenant on core.job_pace for select to fettle_app, fettle_worker
  using (company_id = (select core.current_company()));
create policy operator_select on core.job_pace for select to fettle_admin using (true);
create policy auth on core.job_pace to fettle_auth using (true) with check (true);
grant select on core.job_pace to fettle_app, fettle_worker, fettle_admin;
grant select, insert, update, delete on core.job_pace to fettle_auth;
