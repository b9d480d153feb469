-- Sites with an inverter and a meter, and the utility accounts that readings are pushed to. The installer
-- attaches row-level security to all tables of this app, and the guard to its record tables.

create schema solar;

comment on schema solar is 'Schema of the solar app: samples, daily energy, recordings and their push to the utility.';

create table solar.site (
  like core.record_base including defaults including comments,
  name          text not null check (btrim(name) <> ''),
  timezone      text not null default 'UTC',
  capacity_kw   numeric(8,3) check (capacity_kw > 0 and capacity_kw < 'NaN'),
  source_kind   text not null default 'push' check (source_kind in ('push', 'poll', 'manual')),
  source_config jsonb not null default '{}' check (jsonb_typeof(source_config) = 'object'),
  poll_seconds  integer not null default 60 check (poll_seconds between 10 and 86400),
  primary key (company_id, id),
  foreign key (company_id, created_by) references core.membership (company_id, user_id)  -- keep
);

create index on solar.site (company_id, created_by);

comment on table  solar.site is 'Sites with an inverter and a meter.';
comment on column solar.site.name is 'Name of the site.';
comment on column solar.site.timezone is 'IANA time zone name, checked by the engine; decides the days of the site.';
comment on column solar.site.capacity_kw is
  'Maximum power of the panels in kW; null if unknown. A meter that counts more is not believed.';
comment on column solar.site.source_kind is
  'Source of the samples: push (sent by a gateway), poll (fetched by a job) or manual (typed by people).';
comment on column solar.site.source_config is 'Address and field names for polling; secrets by reference only.';
comment on column solar.site.poll_seconds is 'Polling interval in seconds, for source_kind poll.';

create table solar.utility_account (
  like core.record_base including defaults including comments,
  site_id  uuid not null,
  endpoint text not null check (btrim(endpoint) <> ''),
  auth_ref text,
  primary key (company_id, id),
  foreign key (company_id, created_by) references core.membership (company_id, user_id),  -- keep
  foreign key (company_id, site_id) references solar.site (company_id, id)                -- cascade
);

create unique index utility_account_of_site on solar.utility_account (company_id, site_id)
  where deleted_at is null;
create index on solar.utility_account (company_id, site_id);
create index on solar.utility_account (company_id, created_by);

comment on table  solar.utility_account is 'Utility endpoints that the recordings of sites are pushed to.';
comment on column solar.utility_account.site_id is 'The site.';
comment on column solar.utility_account.endpoint is 'HTTPS address that accepts POST.';
comment on column solar.utility_account.auth_ref is 'Name of the secret, never the secret itself; null if none.';
