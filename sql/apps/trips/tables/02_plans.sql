-- Trip plans with their stops, and share links of plans.

create table trips.plan (
  like core.record_base including defaults including comments,
  conversation_id uuid,
  title           text not null check (btrim(title) <> ''),
  destination     text,
  lat             numeric(9,6) check (lat between -90 and 90),
  lon             numeric(9,6) check (lon between -180 and 180),
  starts_on       date,
  ends_on         date,
  summary         text,
  status          text not null,
  status_category text not null check (status_category in ('open', 'active', 'done')),
  primary key (company_id, id),
  foreign key (company_id, created_by) references core.membership (company_id, user_id),  -- keep
  foreign key (company_id, created_by, conversation_id)
    references trips.conversation (company_id, created_by, id),  -- keep
  constraint plan_owned check (created_by is not null),
  constraint plan_place_complete check ((lat is null) = (lon is null)),
  constraint plan_dates_in_order check (ends_on >= starts_on)
);

create unique index plan_of_person on trips.plan (company_id, created_by, id);
create index on trips.plan (company_id, created_by, conversation_id) where conversation_id is not null;
create index on trips.plan (company_id, created_by, starts_on);
create index on trips.plan (company_id, ends_on) where status_category = 'active' and deleted_at is null;

comment on table  trips.plan is 'Plans of photo trips.';
comment on column trips.plan.conversation_id is 'Conversation that the plan came from; null if none.';
comment on column trips.plan.title is 'Title of the plan.';
comment on column trips.plan.destination is 'Name of the destination; null if not set.';
comment on column trips.plan.lat is 'Latitude of the destination in degrees, north positive; null if unknown.';
comment on column trips.plan.lon is 'Longitude of the destination in degrees, east positive; null if unknown.';
comment on column trips.plan.starts_on is 'First day of the trip; null if not set.';
comment on column trips.plan.ends_on is 'Last day of the trip; null if not set.';
comment on column trips.plan.summary is 'Summary of the trip; null if none.';
comment on column trips.plan.status is 'Status: draft, active, completed or archived; changed by transitions only.';
comment on column trips.plan.status_category is 'Category of the status: open, active or done.';

create table trips.stop (
  like core.record_base including defaults including comments,
  plan_id    uuid not null,
  day_no     integer not null check (day_no between 1 and 3660),
  position   integer not null,
  name       text not null check (btrim(name) <> ''),
  lat        numeric(9,6) check (lat between -90 and 90),
  lon        numeric(9,6) check (lon between -180 and 180),
  best_light text check (best_light in ('sunrise', 'golden_am', 'day', 'golden_pm', 'blue_hour', 'night')),
  notes      text,
  primary key (company_id, id),
  foreign key (company_id, created_by, plan_id)
    references trips.plan (company_id, created_by, id),  -- cascade
  constraint stop_owned check (created_by is not null),
  constraint stop_place_complete check ((lat is null) = (lon is null))
);

create index on trips.stop (company_id, created_by, plan_id, day_no, position, id);

comment on table  trips.stop is 'Stops of plans, each on one day of the trip.';
comment on column trips.stop.plan_id is 'The plan.';
comment on column trips.stop.day_no is 'Day of the trip, from 1.';
comment on column trips.stop.position is 'Order within the day; equal positions are sorted by id.';
comment on column trips.stop.name is 'Name of the place.';
comment on column trips.stop.lat is 'Latitude in degrees, north positive; null if unknown.';
comment on column trips.stop.lon is 'Longitude in degrees, east positive; null if unknown.';
comment on column trips.stop.best_light is
  'Best light: sunrise, golden_am, day, golden_pm, blue_hour or night; null if unknown.';
comment on column trips.stop.notes is 'Notes on the place; null if none.';

create table trips.plan_share (
  like core.record_base including defaults including comments,
  plan_id    uuid not null,
  token_hash bytea not null check (octet_length(token_hash) = 32),
  level      text not null default 'read' check (level in ('read', 'edit')),
  expires_at timestamptz,
  revoked_at timestamptz,
  primary key (company_id, id),
  foreign key (company_id, created_by, plan_id)
    references trips.plan (company_id, created_by, id),  -- cascade
  constraint plan_share_owned check (created_by is not null)
);

create unique index plan_share_token on trips.plan_share (company_id, token_hash);
create index on trips.plan_share (company_id, created_by, plan_id);

comment on table  trips.plan_share is 'Share links that let their bearers read or edit one plan.';
comment on column trips.plan_share.plan_id is 'The plan.';
comment on column trips.plan_share.token_hash is
  'SHA-256 of the secret in the link; the link also names the company.';
comment on column trips.plan_share.level is
  'Access level: read (read the plan and its stops) or edit (change them, too).';
comment on column trips.plan_share.expires_at is 'Time of expiry; null for a link that does not expire.';
comment on column trips.plan_share.revoked_at is 'Time of revocation; null if not revoked.';
