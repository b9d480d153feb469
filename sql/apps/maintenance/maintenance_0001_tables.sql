-- Machines, the work on them and the hours it took. The installer attaches row-level security, grants and the
-- guard to every table here that has a company_id.

create schema maintenance;

comment on schema maintenance is 'The app for machines and the work on them.';

create table maintenance.base_category_template (
  name     text primary key check (btrim(name) <> ''),
  position integer not null default 0
);

comment on table maintenance.base_category_template is
  'Categories that a new company starts with, as copies of its own. Global; changed by operators only.';
comment on column maintenance.base_category_template.name is 'Name of the category.';
comment on column maintenance.base_category_template.position is 'Order in which they are copied.';

insert into maintenance.base_category_template (name, position)
values
  ('Hydraulics', 1),
  ('Paint system', 2),
  ('Spray guns', 3),
  ('Compressor', 4),
  ('Engine', 5),
  ('Electrical', 6),
  ('Tyres', 7),
  ('Glass-bead unit', 8);

grant usage on schema maintenance to fettle_app, fettle_worker, fettle_admin;
grant select on maintenance.base_category_template to fettle_app, fettle_worker, fettle_admin;

create table maintenance.machine (
  like core.record_base including defaults including comments,
  code            text not null check (btrim(code) <> ''),
  code_key        text not null generated always as (lower(btrim(code))) stored,
  name            text not null check (btrim(name) <> ''),
  photo_id        uuid,
  status          text not null,
  status_category text not null check (status_category in ('open', 'active', 'done')),
  primary key (company_id, id),
  foreign key (company_id, created_by) references core.membership (company_id, user_id),  -- keep
  foreign key (company_id, photo_id) references core.attachment (company_id, id)          -- restrict
);

create unique index machine_code on maintenance.machine (company_id, code_key) where deleted_at is null;
create index on maintenance.machine (company_id, created_by);
create index on maintenance.machine (company_id, photo_id) where photo_id is not null;

comment on table  maintenance.machine is 'A machine that is maintained.';
comment on column maintenance.machine.code_key is 'How code is compared: trimmed, in lower case.';
comment on column maintenance.machine.name is 'What people call it.';
comment on column maintenance.machine.status is 'Whether it can be used; moved by transition only.';
comment on column maintenance.machine.status_category is 'Category of the status: open, active or done.';
comment on column maintenance.machine.code is
  'What is painted on it, such as RM-001; unique per company, whatever the case.';
comment on column maintenance.machine.photo_id is 'The attachment shown in lists.';

create table maintenance.category (
  like core.record_base including defaults including comments,
  name       text not null check (btrim(name) <> ''),
  name_key   text not null generated always as (lower(btrim(name))) stored,
  machine_id uuid,
  is_base    boolean not null generated always as (machine_id is null) stored,
  primary key (company_id, id),
  foreign key (company_id, created_by) references core.membership (company_id, user_id),  -- keep
  foreign key (company_id, machine_id) references maintenance.machine (company_id, id)    -- cascade
);

create unique index category_name on maintenance.category (company_id, machine_id, name_key)
  nulls not distinct where deleted_at is null;
create index on maintenance.category (company_id, machine_id);
create index on maintenance.category (company_id, created_by);

comment on table  maintenance.category is 'What kind of work an entry is.';
comment on column maintenance.category.name is 'Name of the category.';
comment on column maintenance.category.name_key is 'How name is compared: trimmed, in lower case.';
comment on column maintenance.category.is_base is 'It is for all machines.';
comment on column maintenance.category.machine_id is 'The only machine it is for; null: for all of them.';

create table maintenance.meter (
  like core.record_base including defaults including comments,
  machine_id uuid not null,
  name       text not null check (btrim(name) <> ''),
  name_key   text not null generated always as (lower(btrim(name))) stored,
  unit       text not null check (btrim(unit) <> ''),
  primary key (company_id, id),
  foreign key (company_id, created_by) references core.membership (company_id, user_id),  -- keep
  foreign key (company_id, machine_id) references maintenance.machine (company_id, id)    -- cascade
);

create unique index meter_name on maintenance.meter (company_id, machine_id, name_key)
  where deleted_at is null;
create unique index meter_of_machine on maintenance.meter (company_id, machine_id, id);
create index on maintenance.meter (company_id, created_by);

comment on table  maintenance.meter is 'A counter on a machine: engine hours, kilometres, litres sprayed.';
comment on column maintenance.meter.machine_id is 'The machine it is on.';
comment on column maintenance.meter.name is 'What it counts.';
comment on column maintenance.meter.name_key is 'How name is compared: trimmed, in lower case.';
comment on column maintenance.meter.unit is 'In what, such as h or km.';

create table maintenance.meter_reading (
  like core.record_base including defaults including comments,
  meter_id uuid not null,
  value    numeric(14,3) not null check (value >= 0 and value < 'NaN'),
  taken_at timestamptz not null,
  is_reset boolean not null default false,
  primary key (company_id, id),
  foreign key (company_id, created_by) references core.membership (company_id, user_id),  -- keep
  foreign key (company_id, meter_id) references maintenance.meter (company_id, id)        -- cascade
);

create unique index meter_reading_natural on maintenance.meter_reading (company_id, meter_id, taken_at)
  where deleted_at is null;
create index on maintenance.meter_reading (company_id, meter_id, taken_at);
create index on maintenance.meter_reading (company_id, created_by);

comment on table  maintenance.meter_reading is 'What a meter showed at one moment.';
comment on column maintenance.meter_reading.meter_id is 'The meter that was read.';
comment on column maintenance.meter_reading.value is 'What it showed.';
comment on column maintenance.meter_reading.taken_at is 'When it was read.';
comment on column maintenance.meter_reading.is_reset is
  'The counter was set back or replaced: this value counts from zero.';

create table maintenance.pm_plan (
  like core.record_base including defaults including comments,
  machine_id      uuid not null,
  category_id     uuid not null,
  title           text not null check (btrim(title) <> ''),
  estimated_hours numeric(6,2) not null default 1 check (estimated_hours between 0 and 9999),
  every_days      integer check (every_days between 1 and 36500),
  meter_id        uuid,
  every_units     numeric(14,3) check (every_units > 0 and every_units < 'NaN'),
  anchor          text not null default 'completion' check (anchor in ('completion', 'fixed')),
  lead_days       integer not null default 7 check (lead_days between 0 and 365),
  next_due_on     date,
  next_due_units  numeric(14,3) check (next_due_units >= 0 and next_due_units < 'NaN'),
  status          text not null,
  status_category text not null check (status_category in ('open', 'active', 'done')),
  primary key (company_id, id),
  foreign key (company_id, created_by) references core.membership (company_id, user_id),               -- keep
  foreign key (company_id, machine_id)
    references maintenance.machine (company_id, id),  -- cascade
  foreign key (company_id, category_id)
    references maintenance.category (company_id, id),  -- restrict
  foreign key (company_id, machine_id, meter_id)
    references maintenance.meter (company_id, machine_id, id),  -- restrict
  constraint pm_plan_has_interval check (num_nonnulls(every_days, every_units) >= 1),
  constraint pm_plan_meter_with_units check ((meter_id is null) = (every_units is null))
);

create index on maintenance.pm_plan (company_id, machine_id, meter_id);
create index on maintenance.pm_plan (company_id, category_id);
create index on maintenance.pm_plan (company_id, created_by);
create index on maintenance.pm_plan (company_id, next_due_on)
  where status_category = 'active' and deleted_at is null;

comment on table  maintenance.pm_plan is
  'Preventive maintenance: an entry every so many days, meter units, or both.';
comment on column maintenance.pm_plan.machine_id is 'The machine it is for.';
comment on column maintenance.pm_plan.category_id is 'Category of the entries it makes.';
comment on column maintenance.pm_plan.title is 'Description of the entries it makes.';
comment on column maintenance.pm_plan.estimated_hours is 'Hours that the work is expected to take.';
comment on column maintenance.pm_plan.every_days is 'Interval in days; null: by meter only.';
comment on column maintenance.pm_plan.meter_id is 'The meter that is watched; null: by days only.';
comment on column maintenance.pm_plan.every_units is 'Interval in units of the meter.';
comment on column maintenance.pm_plan.next_due_on is 'The day it is due next.';
comment on column maintenance.pm_plan.status is 'Whether it makes entries; moved by transition only.';
comment on column maintenance.pm_plan.status_category is 'Category of the status: open, active or done.';
comment on column maintenance.pm_plan.anchor is
  'completion: the next interval starts when work ends; fixed: when it was due.';
comment on column maintenance.pm_plan.lead_days is 'How many days before the due date the entry is made.';
comment on column maintenance.pm_plan.next_due_units is
  'Due when the meter''s running total (v_meter.total_units) reaches this.';

create table maintenance.entry (
  like core.record_base including defaults including comments,
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
  foreign key (company_id, created_by) references core.membership (company_id, user_id),     -- keep
  foreign key (company_id, assigned_to) references core.membership (company_id, user_id),    -- keep
  foreign key (company_id, started_by) references core.membership (company_id, user_id),     -- keep
  foreign key (company_id, completed_by) references core.membership (company_id, user_id)    -- keep
);

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
create index on maintenance.entry (company_id, due_on) where status_category <> 'done' and deleted_at is null;
-- The backlog is a small part of all entries; its report reads this index and not the table.
create index entry_backlog on maintenance.entry (company_id, machine_id, status_category, reported_on)
  include (estimated_hours)
  where status_category <> 'done' and deleted_at is null;

comment on table  maintenance.entry is 'One piece of work on one machine, from report to completion.';
comment on column maintenance.entry.machine_id is 'The machine it is on.';
comment on column maintenance.entry.category_id is 'What kind of work it is.';
comment on column maintenance.entry.description is 'What is wrong, or what is to be done.';
comment on column maintenance.entry.estimated_hours is 'Hours that it is expected to take.';
comment on column maintenance.entry.actual_cost is
  'What it cost in the end, in the company''s money; negative for a credit note; null: not known.';
comment on column maintenance.entry.assigned_to is 'The member who is to do it.';
comment on column maintenance.entry.due_on is 'The day it should be done by.';
comment on column maintenance.entry.status is 'How far it is; moved by transition only.';
comment on column maintenance.entry.status_category is 'Category of the status: open, active or done.';
comment on column maintenance.entry.started_at is 'When work began.';
comment on column maintenance.entry.started_by is 'Who began it.';
comment on column maintenance.entry.completed_at is 'When it was completed.';
comment on column maintenance.entry.completed_by is 'Who completed it.';
comment on column maintenance.entry.completion_note is 'What was done.';
comment on column maintenance.entry.reported_on is 'The day it was reported, in the company''s time zone.';
comment on column maintenance.entry.external_ref is 'Its number in another system; unique per company.';
comment on column maintenance.entry.priority is '1 urgent, 2 normal, 3 low, 4 when convenient.';
comment on column maintenance.entry.plan_id is
  'The preventive plan that made it; a plan has at most one entry that is not done.';
comment on column maintenance.entry.created_by_name is
  'The reporter''s name as it was then; a later change of name leaves it alone.';

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
comment on column maintenance.time_entry.start_time is 'When work began, by the clock where the company is.';
comment on column maintenance.time_entry.lunch_break_deducted is 'Half an hour is taken off for lunch.';
comment on column maintenance.time_entry.user_id is
  'The member who worked; null for a guest, who then has only a name.';
comment on column maintenance.time_entry.user_name is 'The name as it was then.';
comment on column maintenance.time_entry.work_date is 'The day the work began, where the company is.';
comment on column maintenance.time_entry.end_time is 'Earlier than start_time: the next day.';
comment on column maintenance.time_entry.started_at is
  'work_date and start_time as an instant, in the company''s time zone when written; computed by the engine.';
comment on column maintenance.time_entry.ended_at is
  'The end likewise, so that a night in which the clocks change has the hours that really passed.';
comment on column maintenance.time_entry.actual_hours is
  'Elapsed hours less half an hour for lunch, to 0.01, never negative.';
