-- The books of the queue: how much is posted and claimed in each lane, so that nobody has to count jobs to know.
--
-- The tally is brought forward from one snapshot to the next: what was committed in between is found by the index on
-- transactions, and new claims by their number, as claims of a lane are committed in that order. Only a lane that has
-- more posts than claimed jobs can have a claim that is not counted yet. One session at a time does it; what it
-- touches is no part of claiming, so a pinned snapshot costs the books and not the queue.
-- Lists go through lanes, and within a lane through the index by lane, transaction and id; no statement here needs
-- statistics to find its index.

create table core.job_tally (
  company_id uuid     not null,
  lane       uuid     not null,
  queue      text     not null,
  kind       text     not null,
  priority   smallint not null,
  posted     bigint   not null,
  claimed    bigint   not null default 0,
  claim_no   bigint   not null default 0,
  claim_week date     not null default '-infinity',
  claim_xid  xid8     not null default '0',
  since_xid  xid8     not null,
  last_xid   xid8     not null,
  primary key (company_id, lane)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);

comment on table  core.job_tally is 'What was posted and claimed in each lane, as of core.job_tally_mark.';
comment on column core.job_tally.company_id is 'The company of the lane.';
comment on column core.job_tally.lane is 'The lane.';
comment on column core.job_tally.queue is 'Its queue.';
comment on column core.job_tally.kind is 'Its kind.';
comment on column core.job_tally.priority is 'Its priority.';
comment on column core.job_tally.posted is 'Posts ever, attempts anew among them.';
comment on column core.job_tally.claimed is 'How many of them are in claims.';
comment on column core.job_tally.claim_no is 'The last claim that is counted.';
comment on column core.job_tally.claim_week is 'Its week; no later claim is in an earlier one.';
comment on column core.job_tally.claim_xid is 'The transaction of its last job.';
comment on column core.job_tally.since_xid is 'The first transaction that posted after the lane had been empty.';
comment on column core.job_tally.last_xid is 'The last transaction that posted.';

alter table core.job_tally enable row level security;
alter table core.job_tally force row level security;
create policy tenant on core.job_tally for select to fettle_app, fettle_worker
  using (company_id = (select core.current_company()));
create policy operator_select on core.job_tally for select to fettle_admin using (true);
create policy doors on core.job_tally to fettle_auth using (true) with check (true);
grant select on core.job_tally to fettle_app, fettle_worker, fettle_admin;
grant select, insert, update, delete on core.job_tally to fettle_auth;

create table core.job_tally_mark (
  company_id uuid        not null primary key,
  upto       pg_snapshot not null,
  counted_at timestamptz not null,
  looked_at  timestamptz not null default '-infinity'
) with (fillfactor = 10);

comment on table  core.job_tally_mark is 'Up to where the tally goes: one row.';
comment on column core.job_tally_mark.company_id is 'The system company.';
comment on column core.job_tally_mark.upto is 'What this snapshot sees is counted.';
comment on column core.job_tally_mark.counted_at is 'When that was.';
comment on column core.job_tally_mark.looked_at is 'When every open lane was looked at last, not only those with new claims.';

insert into core.job_tally_mark (company_id, upto, counted_at)
values ('00000000-0000-7000-8000-000000000000', '1:1:', '-infinity');

alter table core.job_tally_mark enable row level security;
alter table core.job_tally_mark force row level security;
create policy tenant on core.job_tally_mark for select to fettle_app, fettle_worker
  using (company_id = (select core.current_company()));
create policy operator_select on core.job_tally_mark for select to fettle_admin using (true);
create policy doors on core.job_tally_mark to fettle_auth using (true) with check (true);
grant select on core.job_tally_mark to fettle_app, fettle_worker, fettle_admin;
grant select, insert, update, delete on core.job_tally_mark to fettle_auth;

create table core.job_moment (
  company_id uuid        not null,
  xid        xid8        not null,
  at         timestamptz not null,
  primary key (company_id, xid)
);

comment on table  core.job_moment is 'Which transaction was next at some moments, to tell when something was posted.';
comment on column core.job_moment.company_id is 'The system company.';
comment on column core.job_moment.xid is 'No transaction from this one on had begun.';
comment on column core.job_moment.at is 'Then it had not begun.';

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

comment on table  core.job_pace is 'How many jobs workers claimed in ten seconds, of all companies together.';
comment on column core.job_pace.company_id is 'The system company.';
comment on column core.job_pace.at is 'When the ten seconds began.';
comment on column core.job_pace.queue is 'Of which queue.';
comment on column core.job_pace.kind is 'Of which kind.';
comment on column core.job_pace.started is 'How many.';

alter table core.job_pace enable row level security;
alter table core.job_pace force row level security;
create policy tenant on core.job_pace for select to fettle_app, fettle_worker
  using (company_id = (select core.current_company()));
create policy operator_select on core.job_pace for select to fettle_admin using (true);
create policy doors on core.job_pace to fettle_auth using (true) with check (true);
grant select on core.job_pace to fettle_app, fettle_worker, fettle_admin;
grant select, insert, update, delete on core.job_pace to fettle_auth;
