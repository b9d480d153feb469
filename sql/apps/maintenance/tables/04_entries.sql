-- Entries for work on machines, and their hours.

create table maintenance.entry (
  like core.record_base including defaults including comments,
  number          text check (btrim(number) <> ''),
  number_seq      bigint,
  machine_id      uuid not null,
  category_id     uuid not null,
  description     text not null check (btrim(description) <> ''),
  estimated_hours numeric(6,2) not null default 0 check (estimated_hours between 0 and 9999),
  actual_cost     numeric(12,2) check (actual_cost < 'NaN'),
  reported_on     date not null,
  external_ref    text check (btrim(external_ref) <> ''),
  priority        smallint not null default 2 check (priority between 1 and 4),
  assigned_to     uuid,
  due_on          date,
  plan_id         uuid,
  planned_on      date,
  planned_units   numeric(14,3) check (planned_units < 'NaN'),
  split_from      uuid,
  created_by_name text,
  status          text not null,
  status_category text not null check (status_category in ('open', 'active', 'done')),
  started_at      timestamptz,
  started_by      uuid,
  completed_at    timestamptz,
  completed_by    uuid,
  completion_note text,
  primary key (company_id, id),
  foreign key (company_id, machine_id) references maintenance.machine (company_id, id),      -- restrict
  foreign key (company_id, category_id) references maintenance.category (company_id, id),    -- keep
  foreign key (company_id, plan_id) references maintenance.pm_plan (company_id, id),         -- keep
  foreign key (company_id, split_from) references maintenance.entry (company_id, id),        -- keep
  foreign key (company_id, created_by) references core.membership (company_id, user_id),     -- keep
  foreign key (company_id, assigned_to) references core.membership (company_id, user_id),    -- keep
  foreign key (company_id, started_by) references core.membership (company_id, user_id),     -- keep
  foreign key (company_id, completed_by) references core.membership (company_id, user_id),   -- keep
  constraint entry_number_has_counter check ((number is null) = (number_seq is null))
);

create unique index entry_number on maintenance.entry (company_id, number_seq);
create unique index entry_external_ref on maintenance.entry (company_id, external_ref)
  where external_ref is not null and deleted_at is null;
create unique index entry_open_of_plan on maintenance.entry (company_id, plan_id)
  where plan_id is not null and status_category <> 'done' and deleted_at is null;
create index on maintenance.entry (company_id, machine_id, status_category, created_at desc);
-- The order of lists, newest first: a page reads its own rows, and not all entries of the company.
create index entry_newest on maintenance.entry (company_id, created_at desc, id) where deleted_at is null;
-- The order of lists for people, the latest reported first, of all entries and of those in one state. Without them, the
-- first page of a million entries reads and sorts them all.
create index entry_reported on maintenance.entry (company_id, reported_on desc, id) where deleted_at is null;
create index entry_status on maintenance.entry (company_id, status, reported_on desc, id) where deleted_at is null;
create index on maintenance.entry (company_id, category_id);
create index on maintenance.entry (company_id, plan_id) where plan_id is not null;
create index on maintenance.entry (company_id, created_by);
create index on maintenance.entry (company_id, assigned_to) where assigned_to is not null;
create index on maintenance.entry (company_id, started_by) where started_by is not null;
create index on maintenance.entry (company_id, completed_by) where completed_by is not null;
-- The backlog is a small part of all entries; its report reads this index instead of the table.
create index entry_backlog on maintenance.entry (company_id, machine_id, status_category, reported_on)
  include (estimated_hours)
  where status_category <> 'done' and deleted_at is null;
create index on maintenance.entry (company_id, split_from) where split_from is not null;
-- Most entries have no due date. The index leaves them out, so that a change of their status does not write it.
create index entry_due on maintenance.entry (company_id, due_on)
  where due_on is not null and status_category <> 'done' and deleted_at is null;

comment on table  maintenance.entry is 'Work entries on machines, from report to completion.';
comment on column maintenance.entry.number is 'Work order number, such as WO-1007; unique per company, null if none.';
comment on column maintenance.entry.number_seq is 'Counter in the work order number, used for sorting; null if none.';
comment on column maintenance.entry.machine_id is 'Machine that is worked on.';
comment on column maintenance.entry.category_id is 'Category of the work.';
comment on column maintenance.entry.description is 'Description of the defect or of the work to do.';
comment on column maintenance.entry.estimated_hours is 'Estimated hours of work.';
comment on column maintenance.entry.actual_cost is
  'Actual cost in the company''s currency; negative for a credit note, null if unknown.';
comment on column maintenance.entry.reported_on is 'Date of the report, in the company''s time zone.';
comment on column maintenance.entry.external_ref is 'Number in another system; unique per company, null if none.';
comment on column maintenance.entry.priority is 'Priority: 1 urgent, 2 normal, 3 low, 4 when convenient.';
comment on column maintenance.entry.assigned_to is 'Assigned member; null if nobody.';
comment on column maintenance.entry.due_on is 'Due date; null if none.';
comment on column maintenance.entry.plan_id is
  'Preventive plan that created the entry, null if none; a plan has at most one entry that is not done.';
comment on column maintenance.entry.planned_on is
  'Due date of the plan, null if none; with a fixed anchor the next interval starts on it, even if due_on changes.';
comment on column maintenance.entry.planned_units is
  'Reading of the meter at which the plan was due; null if not due by meter.';
comment on column maintenance.entry.split_from is
  'Entry that was partly done and has this entry as its remainder; null if none.';
comment on column maintenance.entry.created_by_name is
  'Name of the reporter at creation; unaffected by later renames.';
comment on column maintenance.entry.status is 'Status: pending, in_progress or completed; changed by transitions only.';
comment on column maintenance.entry.status_category is 'Category of the status: open, active or done.';
comment on column maintenance.entry.started_at is 'Start of the work, as its starter gave it; null if not started.';
comment on column maintenance.entry.started_by is 'Member who started the work; null if none.';
comment on column maintenance.entry.completed_at is 'Time of completion; null if not completed.';
comment on column maintenance.entry.completed_by is 'Member who completed the work; null if none.';
comment on column maintenance.entry.completion_note is 'Note on the completed work; null if none.';

create table maintenance.time_entry (
  like core.record_base including defaults including comments,
  entry_id             uuid not null,
  user_id              uuid,
  user_name            text not null check (btrim(user_name) <> ''),
  work_date            date not null,
  start_time           time(0) not null,
  end_time             time(0) not null,
  has_lunch boolean not null default false,
  started_at           timestamptz not null,
  ended_at             timestamptz not null,
  actual_hours         numeric(5,2) not null generated always as (
                         greatest(0, round(
                           extract(epoch from ended_at - started_at) / 3600
                           - case when has_lunch then 0.5 else 0 end, 2))
                       ) stored,
  primary key (company_id, id),
  foreign key (company_id, entry_id) references maintenance.entry (company_id, id),       -- cascade
  foreign key (company_id, user_id) references core.membership (company_id, user_id),     -- keep
  foreign key (company_id, created_by) references core.membership (company_id, user_id),  -- keep
  constraint time_entry_forward check (ended_at > started_at),
  constraint time_entry_at_most_16_hours check (actual_hours <= 16),
  constraint time_entry_start_agrees check (
    started_at at time zone 'UTC' - (work_date + start_time)
      between interval '-14 hours' and interval '12 hours'),
  constraint time_entry_end_agrees check (
    ended_at at time zone 'UTC' - (work_date + case when end_time < start_time then 1 else 0 end + end_time)
      between interval '-14 hours' and interval '12 hours')
);

create index on maintenance.time_entry (company_id, entry_id);
create index on maintenance.time_entry (company_id, user_id, work_date);
create index on maintenance.time_entry (company_id, created_by);

comment on table  maintenance.time_entry is 'Hours that one person worked on one entry.';
comment on column maintenance.time_entry.entry_id is 'Entry that was worked on.';
comment on column maintenance.time_entry.user_id is
  'Member who worked; null for a guest, who has only a name.';
comment on column maintenance.time_entry.user_name is 'Name of the worker when the hours were logged.';
comment on column maintenance.time_entry.work_date is 'Date on which the work started, in the company''s time zone.';
comment on column maintenance.time_entry.start_time is 'Start of the work, in the company''s time zone.';
comment on column maintenance.time_entry.end_time is
  'End of the work, in the company''s time zone; on the next day if earlier than start_time.';
comment on column maintenance.time_entry.has_lunch is 'True if half an hour is deducted for lunch.';
comment on column maintenance.time_entry.started_at is
  'Instant of work_date and start_time in the company''s time zone when written; computed by the engine.';
comment on column maintenance.time_entry.ended_at is
  'Instant of the end of the work, computed like started_at; correct across a clock change at night.';
comment on column maintenance.time_entry.actual_hours is
  'Elapsed hours minus 0.5 if lunch is deducted, rounded to 0.01, never negative.';
