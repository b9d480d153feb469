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
  planned_units   numeric(14,3) check (planned_units >= 0 and planned_units < 'NaN'),
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
-- Most entries have no due date. An index without them is not written when their status changes.
create index entry_due on maintenance.entry (company_id, due_on)
  where due_on is not null and status_category <> 'done' and deleted_at is null;

comment on table  maintenance.entry is 'One piece of work on one machine, from report to completion.';
comment on column maintenance.entry.number is 'Number of the work order, such as WO-1007; unique per company.';
comment on column maintenance.entry.number_seq is 'The counter in its number, by which numbers are sorted.';
comment on column maintenance.entry.machine_id is 'The machine it is on.';
comment on column maintenance.entry.category_id is 'What kind of work it is.';
comment on column maintenance.entry.description is 'What is wrong, or what is to be done.';
comment on column maintenance.entry.estimated_hours is 'Hours that it is expected to take.';
comment on column maintenance.entry.actual_cost is
  'What it cost in the end, in the company''s money; negative for a credit note; null: not known.';
comment on column maintenance.entry.reported_on is 'The day it was reported, in the company''s time zone.';
comment on column maintenance.entry.external_ref is 'Its number in another system; unique per company.';
comment on column maintenance.entry.priority is '1 urgent, 2 normal, 3 low, 4 when convenient.';
comment on column maintenance.entry.assigned_to is 'The member who is to do it.';
comment on column maintenance.entry.due_on is 'The day it should be done by.';
comment on column maintenance.entry.plan_id is
  'The preventive plan that made it; a plan has at most one entry that is not done.';
comment on column maintenance.entry.planned_on is
  'The day its plan was due; a plan that is fixed counts on from there, however due_on was moved.';
comment on column maintenance.entry.planned_units is 'The running total of the meter at which its plan was due.';
comment on column maintenance.entry.split_from is 'The entry that was done in part, and of which this is the rest.';
comment on column maintenance.entry.created_by_name is
  'The reporter''s name as it was then; a later change of name leaves it alone.';
comment on column maintenance.entry.status is 'How far it is; moved by transition only.';
comment on column maintenance.entry.status_category is 'Category of the status: open, active or done.';
comment on column maintenance.entry.started_at is 'When work began.';
comment on column maintenance.entry.started_by is 'Who began it.';
comment on column maintenance.entry.completed_at is 'When it was completed.';
comment on column maintenance.entry.completed_by is 'Who completed it.';
comment on column maintenance.entry.completion_note is 'What was done.';

create table maintenance.time_entry (
  like core.record_base including defaults including comments,
  entry_id             uuid not null,
  user_id              uuid,
  user_name            text not null check (btrim(user_name) <> ''),
  work_date            date not null,
  start_time           time(0) not null,
  end_time             time(0) not null,
  lunch_break_deducted boolean not null default false,
  started_at           timestamptz not null,
  ended_at             timestamptz not null,
  actual_hours         numeric(5,2) not null generated always as (
                         greatest(0, round(
                           extract(epoch from ended_at - started_at) / 3600
                           - case when lunch_break_deducted then 0.5 else 0 end, 2))
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
comment on column maintenance.time_entry.entry_id is 'The entry that was worked on.';
comment on column maintenance.time_entry.user_id is
  'The member who worked; null for a guest, who then has only a name.';
comment on column maintenance.time_entry.user_name is 'The name as it was then.';
comment on column maintenance.time_entry.work_date is 'The day the work began, where the company is.';
comment on column maintenance.time_entry.start_time is 'When work began, by the clock where the company is.';
comment on column maintenance.time_entry.end_time is 'Earlier than start_time: the next day.';
comment on column maintenance.time_entry.lunch_break_deducted is 'Half an hour is taken off for lunch.';
comment on column maintenance.time_entry.started_at is
  'work_date and start_time as an instant, in the company''s time zone when written; computed by the engine.';
comment on column maintenance.time_entry.ended_at is
  'The end likewise, so that a night in which the clocks change has the hours that really passed.';
comment on column maintenance.time_entry.actual_hours is
  'Elapsed hours less half an hour for lunch, to 0.01, never negative.';
