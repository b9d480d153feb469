-- Samples of inverter and meter, and recordings by people or the app.

create table solar.sample (
  company_id  uuid not null,
  site_id     uuid not null,
  taken_at    timestamptz not null,
  inverter_kw numeric(10,3) check (inverter_kw < 'NaN'),
  meter_kwh   numeric(14,3) check (meter_kwh >= 0 and meter_kwh < 'NaN'),
  first_kwh   numeric(14,3) check (first_kwh >= 0),
  received_at timestamptz not null default now(),
  primary key (company_id, site_id, taken_at),
  foreign key (company_id, site_id) references solar.site (company_id, id),  -- restrict
  constraint sample_not_empty check (num_nonnulls(inverter_kw, meter_kwh) >= 1),
  constraint sample_first_of_counter check (first_kwh is null or coalesce(first_kwh <= meter_kwh, false))
);

-- For the limit of sites of unknown capacity.
create index on solar.sample (company_id, site_id, inverter_kw) where inverter_kw > 100;

comment on table  solar.sample is
  'Measurements of inverter and meter. Not a record type: no version, history or feed.';
comment on column solar.sample.company_id is 'The company.';
comment on column solar.sample.site_id is 'The site.';
comment on column solar.sample.taken_at is 'Time of the measurement, by the gateway''s clock.';
comment on column solar.sample.inverter_kw is
  'Power in kW, negative if the inverter draws power; null if not measured.';
comment on column solar.sample.meter_kwh is
  'Reading of the energy counter in kWh, not a difference; null if not measured.';
comment on column solar.sample.first_kwh is
  'First reading of a new counter, if the counter was reset or replaced before the sample; null otherwise.';
comment on column solar.sample.received_at is 'Time of arrival, by the database''s clock.';

-- A correction deletes a sample and inserts another; samples are never updated.
grant select, insert, delete on solar.sample to fettle_app, fettle_worker, fettle_admin;

create table solar.recording (
  like core.record_base including defaults including comments,
  site_id         uuid not null,
  type            text not null check (type in ('manual', 'auto', 'auto_push')),
  quantity        text not null default 'power' check (quantity in ('power', 'energy')),
  unit            text not null default 'kW' check (unit in ('kW', 'kWh')),
  value           numeric(14,3) not null check (value >= 0 and value < 'NaN'),
  taken_at        timestamptz not null,
  upload_attempts smallint not null default 0 check (upload_attempts >= 0),
  push_attempts   smallint not null default 0 check (push_attempts between 0 and 3),
  pushed_at       timestamptz,
  utility_ref     text,
  last_error      text,
  status          text not null,
  status_category text not null check (status_category in ('open', 'active', 'done')),
  primary key (company_id, id),
  foreign key (company_id, created_by) references core.membership (company_id, user_id),  -- keep
  foreign key (company_id, site_id) references solar.site (company_id, id),               -- restrict
  constraint recording_unit_fits check ((quantity = 'energy') = (unit = 'kWh')),
  constraint recording_only_auto_push_is_pushed check (
    type = 'auto_push'
    or (status = 'uploaded' and push_attempts = 0 and pushed_at is null and utility_ref is null))
);

create unique index recording_natural on solar.recording (company_id, site_id, type, quantity, taken_at)
  where deleted_at is null;
create index on solar.recording (company_id, site_id, taken_at desc);
create index on solar.recording (company_id, created_by);

comment on table  solar.recording is
  'Readings recorded by a person or the app; those of type auto_push are sent to the utility.';
comment on column solar.recording.site_id is 'The site.';
comment on column solar.recording.type is
  'Origin: manual (typed by a person), auto (from the inverter) or auto_push (from the inverter, sent to the utility).';
comment on column solar.recording.quantity is 'Quantity: power (in kW) or energy (meter reading in kWh).';
comment on column solar.recording.unit is 'Unit of the value: kW for power, kWh for energy.';
comment on column solar.recording.value is 'Recorded reading; zero is valid, for example power at night.';
comment on column solar.recording.taken_at is 'Time of the reading.';
comment on column solar.recording.upload_attempts is 'Number of upload attempts, as reported by the device.';
comment on column solar.recording.push_attempts is
  'Number of push attempts since the last retry by a person.';
comment on column solar.recording.pushed_at is
  'Time at which the utility accepted the recording; null if not accepted.';
comment on column solar.recording.utility_ref is 'Receipt of the utility; null if none.';
comment on column solar.recording.last_error is 'Error of the last push attempt; null after acceptance.';
comment on column solar.recording.status is
  'Status: uploaded, push_queued, pushing, pushed or push_failed; changed by transitions only.';
comment on column solar.recording.status_category is 'Category of the status: open, active or done.';
