-- Sites with an inverter and a meter, and the utility accounts that readings are pushed to. The installer
-- attaches row-level security to all tables of this app, and the guard to its record tables.

create schema solar;

comment on schema solar is 'The app for solar power: samples, energy by day, recordings and their push.';

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

comment on table  solar.site is 'A place with an inverter and a meter.';
comment on column solar.site.name is 'What people call it.';
comment on column solar.site.timezone is 'IANA name, checked by the engine; its days are cut in this zone.';
comment on column solar.site.capacity_kw is 'What its panels give at most, in kW.';
comment on column solar.site.source_kind is
  'push: a gateway sends samples; poll: a job fetches them; manual: people type them.';
comment on column solar.site.source_config is 'Address and field names for poll; secrets by reference only.';
comment on column solar.site.poll_seconds is 'How often a site that is polled is asked.';

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

comment on table  solar.utility_account is 'Where a site''s recordings are pushed to.';
comment on column solar.utility_account.site_id is 'The site.';
comment on column solar.utility_account.endpoint is 'Where to: an https address that takes POST.';
comment on column solar.utility_account.auth_ref is 'Name of the secret, never the secret.';
