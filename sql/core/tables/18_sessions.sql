-- Sessions of people: of browsers, of mobile devices, of visitors without an account, and of guests of the demo.
-- A session is bound to one company and one member. Entry functions that run as fettle_auth write the rows.

create table core.session (
  company_id   uuid        not null,
  id           uuid        not null,
  user_id      uuid        not null,
  kind         text        not null check (kind in ('browser', 'mobile', 'visitor', 'guest')),
  device_id    uuid,
  device_name  text        not null default '' check (length(device_name) <= 200),
  secret_hash  bytea       not null check (octet_length(secret_hash) = 32),
  refresh_salt bytea       check (octet_length(refresh_salt) = 16),
  generation   integer     not null default 1 check (generation >= 1),
  confirmed    integer     not null default 0,
  access_until timestamptz not null,
  idle_seconds integer     not null check (idle_seconds > 0),
  idle_until   timestamptz not null,
  expires_at   timestamptz not null,
  strong_at    timestamptz,
  created_at   timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  user_agent   text        not null default '' check (length(user_agent) <= 300),
  revoked_at   timestamptz,
  revoked_why  text        check (revoked_why ~ '^[a-z][a-z_]*$'),
  primary key (company_id, id),
  foreign key (company_id, user_id) references core.membership (company_id, user_id),
  constraint session_confirmed_generation check (confirmed between 0 and generation),
  constraint session_refresh_of_mobile check ((refresh_salt is not null) = (kind = 'mobile')),
  constraint session_revoked_for_a_reason check ((revoked_at is null) = (revoked_why is null))
);

create index on core.session (company_id, user_id);
create index on core.session (user_id);
create index on core.session (expires_at);

comment on table  core.session is
  'Sessions of people. A member sees the sessions of the company, without their secrets.';
comment on column core.session.company_id is 'Company that the session gives access to.';
comment on column core.session.id is 'Id of the session, part of its tokens in clear text.';
comment on column core.session.user_id is 'Member who is signed in.';
comment on column core.session.kind is 'Kind of session: browser, mobile, visitor (no account yet) or guest (of the demo).';
comment on column core.session.device_id is 'Id of the device, chosen by the client; null if it sent none.';
comment on column core.session.device_name is 'Name of the device, chosen by the client; empty if it sent none.';
comment on column core.session.secret_hash is
  'Secret: SHA-256 of the cookie or access token of the current generation.';
comment on column core.session.refresh_salt is
  'Secret: salt from which the tokens of a mobile session are derived; null for other kinds.';
comment on column core.session.generation is 'Number of the current access and refresh token; incremented by each refresh.';
comment on column core.session.confirmed is
  'Newest generation that the client is known to have received. Until the current one is, the previous refresh token is accepted again.';
comment on column core.session.access_until is 'Time from which the access token of this generation is refused.';
comment on column core.session.idle_seconds is 'Seconds without use after which the session ends.';
comment on column core.session.idle_until is 'Time at which the session ends unless it is used or refreshed.';
comment on column core.session.expires_at is 'Time at which the session ends in any case.';
comment on column core.session.strong_at is
  'Time of the last proof by password, identity or second factor; null if there was none.';
comment on column core.session.created_at is 'Time of sign-in.';
comment on column core.session.last_seen_at is 'Time of the last request, accurate to the minute.';
comment on column core.session.user_agent is 'User agent of the client at sign-in, shortened.';
comment on column core.session.revoked_at is 'Time at which the session was ended; null if it was not.';
comment on column core.session.revoked_why is
  'Reason of the end: signed_out, revoked, reused, role_changed, member_removed, password_changed …';

select core.attach_tenant_table('core.session');
create policy auth on core.session to fettle_auth using (true) with check (true);
grant select (company_id, id, user_id, kind, device_id, device_name, generation, confirmed, access_until, idle_seconds,
  idle_until, expires_at, strong_at, created_at, last_seen_at, user_agent, revoked_at, revoked_why)
  on core.session to fettle_app, fettle_worker, fettle_admin;
grant select, insert, update (secret_hash, generation, confirmed, access_until, idle_until, strong_at, last_seen_at,
  revoked_at, revoked_why), delete on core.session to fettle_auth;
-- Uses of API tokens are recorded in batches, for all companies.
create policy auth_update on core.api_token for update to fettle_auth using (true) with check (true);
grant update (last_used_at) on core.api_token to fettle_auth;
-- People who sign up create their own companies.
create policy auth_insert on core.company for insert to fettle_auth
  with check (kind in ('business', 'household', 'personal'));
grant insert (id, slug, name, kind, timezone, uses_all_apps) on core.company to fettle_auth;
-- A visitor's account ends when its records are claimed.
grant update (status) on core.app_user to fettle_auth;
