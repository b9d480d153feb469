-- Preventive maintenance plans.

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
  starts_on       date,
  next_due_on     date,
  next_due_units  numeric(14,3) check (next_due_units < 'NaN'),
  counted_from    timestamptz,
  counted_at      timestamptz,
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
  'Preventive maintenance plans: an entry per interval in days, meter units, or both.';
comment on column maintenance.pm_plan.machine_id is 'Machine that the plan maintains.';
comment on column maintenance.pm_plan.category_id is 'Category of the entries that the plan creates.';
comment on column maintenance.pm_plan.title is 'Description of the entries that the plan creates.';
comment on column maintenance.pm_plan.estimated_hours is 'Estimated hours of work per entry.';
comment on column maintenance.pm_plan.every_days is 'Interval in days; null for a plan by meter only.';
comment on column maintenance.pm_plan.meter_id is 'Meter that triggers the plan; null for a plan by days only.';
comment on column maintenance.pm_plan.every_units is 'Interval in units of the meter; null for a plan by days only.';
comment on column maintenance.pm_plan.anchor is
  'Start of the next interval: completion (end of the work) or fixed (previous due date).';
comment on column maintenance.pm_plan.lead_days is 'Days before the due date at which the entry is created.';
comment on column maintenance.pm_plan.starts_on is
  'First due date; null if the first interval in days begins with the plan.';
comment on column maintenance.pm_plan.next_due_on is 'Next due date; null if not due by date.';
comment on column maintenance.pm_plan.next_due_units is
  'Reading at which the plan is next due, on the counter of counted_from; null if not due by meter or never read.';
comment on column maintenance.pm_plan.counted_from is
  'Start of the interval in units: resets of the meter after it change what it shows when the plan is due.';
comment on column maintenance.pm_plan.counted_at is
  'Time at which next_due_units was computed; it does not know resets that were recorded later, whenever they were.';
comment on column maintenance.pm_plan.status is 'Status: active, paused or ended; changed by transitions only.';
comment on column maintenance.pm_plan.status_category is 'Category of the status: open, active or done.';
