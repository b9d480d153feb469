-- Meters on machines and their readings.

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

comment on table  maintenance.meter is 'Counters on machines: engine hours, kilometres, litres sprayed.';
comment on column maintenance.meter.machine_id is 'Machine that carries the meter.';
comment on column maintenance.meter.name is 'Name of the counted quantity.';
comment on column maintenance.meter.name_key is 'Normalized name for comparison: trimmed, in lower case.';
comment on column maintenance.meter.unit is 'Unit of the readings, such as h or km.';

create table maintenance.meter_reading (
  like core.record_base including defaults including comments,
  meter_id    uuid not null,
  value       numeric(14,3) not null check (value >= 0 and value < 'NaN'),
  taken_at    timestamptz not null,
  is_reset    boolean not null default false,
  first_value numeric(14,3),
  primary key (company_id, id),
  foreign key (company_id, created_by) references core.membership (company_id, user_id),  -- keep
  foreign key (company_id, meter_id) references maintenance.meter (company_id, id),       -- cascade
  constraint meter_reading_first_of_counter check (
    first_value is null or is_reset and first_value >= 0 and first_value <= value)
);

create unique index meter_reading_natural on maintenance.meter_reading (company_id, meter_id, taken_at)
  where deleted_at is null;
create index on maintenance.meter_reading (company_id, meter_id, taken_at);
create index on maintenance.meter_reading (company_id, created_by);

comment on table  maintenance.meter_reading is 'Readings of meters.';
comment on column maintenance.meter_reading.meter_id is 'Meter that was read.';
comment on column maintenance.meter_reading.value is 'Reading in the meter''s unit.';
comment on column maintenance.meter_reading.taken_at is 'Time of the reading.';
comment on column maintenance.meter_reading.is_reset is
  'True if the counter was reset or replaced before this reading.';
comment on column maintenance.meter_reading.first_value is
  'First reading of the new counter after a reset; null if it is this one, or without a reset.';
