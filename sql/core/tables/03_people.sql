-- People and service accounts, their memberships in companies, their invitations and API tokens.
-- People, passwords and tokens are written through entry functions that run as fettle_auth.

create table core.app_user (
  id            uuid        primary key,
  email         text        not null check (btrim(email) <> '' and length(email) <= 320),
  email_key     text        not null generated always as (lower(normalize(btrim(email), nfc))) stored,
  name          text        not null check (btrim(name) <> ''),
  kind          text        not null default 'person' check (kind in ('person', 'service', 'visitor')),
  password_hash text        check (password_hash <> ''),
  status        text        not null default 'active' check (status in ('active', 'disabled')),
  email_verified_at timestamptz,
  created_at    timestamptz not null default now(),
  updated_at    timestamptz not null default now(),
  unique (email_key)
);

comment on table  core.app_user is
  'People and service accounts, one row for all companies. Global; visible to members of a shared company.';
comment on column core.app_user.id is 'Id of the user, the same in every company.';
comment on column core.app_user.email is 'E-mail address as entered.';
comment on column core.app_user.email_key is 'Normalized e-mail address for comparison: trimmed, composed (NFC), in lower case.';
comment on column core.app_user.name is 'Display name.';
comment on column core.app_user.kind is 'Kind of user: person, service (a program) or visitor (not signed in yet).';
comment on column core.app_user.password_hash is
  'Secret: hash of the password by crypt(3); null if no password is set.';
comment on column core.app_user.status is 'Status: active or disabled (no access to any company).';
comment on column core.app_user.email_verified_at is
  'Time at which the person proved to receive mail at the address; null if not verified.';
comment on column core.app_user.created_at is 'Time of creation.';
comment on column core.app_user.updated_at is 'Time of the last change.';

alter table core.app_user enable row level security;
alter table core.app_user force row level security;
create policy self_update on core.app_user for update to fettle_app
  using (id = (select core.current_user_id())) with check (id = (select core.current_user_id()));
create policy operator on core.app_user to fettle_admin using (true) with check (true);
create policy auth on core.app_user to fettle_auth using (true) with check (true);
grant select (id, email, email_key, name, kind, status, email_verified_at, created_at, updated_at),
  update (name, updated_at)
  on core.app_user to fettle_app;
grant select (id, email, email_key, name, kind, status, email_verified_at, created_at, updated_at) on core.app_user
  to fettle_worker;
grant select (id, email, email_key, name, kind, status, email_verified_at, created_at, updated_at),
  update (email, name, status, updated_at) on core.app_user to fettle_admin;
grant select, insert (id, email, name, kind, password_hash),
  update (name, email, email_verified_at, password_hash, updated_at)
  on core.app_user to fettle_auth;

create table core.membership (
  company_id uuid        not null,
  user_id    uuid        not null references core.app_user (id),
  role       text        not null,
  status     text        not null default 'active' check (status in ('active', 'suspended', 'removed')),
  invited_by uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (company_id, user_id),
  foreign key (company_id, role) references core.role (company_id, name),
  foreign key (company_id, invited_by) references core.membership (company_id, user_id)
);

create index on core.membership (company_id, role);
create index on core.membership (company_id, invited_by) where invited_by is not null;
create index on core.membership (user_id);

comment on table  core.membership is 'Members of companies with their roles. Rows are never deleted.';
comment on column core.membership.company_id is 'The company.';
comment on column core.membership.user_id is 'The person or service account.';
comment on column core.membership.role is 'Role of the member in the company; exactly one.';
comment on column core.membership.status is 'Status: active, suspended (temporarily) or removed (permanently).';
comment on column core.membership.invited_by is 'Member who invited the user; null for an operator.';
comment on column core.membership.created_at is 'Time of joining.';
comment on column core.membership.updated_at is 'Time of the last change of role or status.';

-- A user sees their own row and the rows of members of the transaction's company.
create policy colleagues on core.app_user for select to fettle_app, fettle_worker
  using (
    id = (select core.current_user_id())
    or exists (
      select from core.membership m
      where m.company_id = (select core.current_company())
        and m.user_id = app_user.id
    )
  );

select core.attach_tenant_table('core.membership');
create policy auth on core.membership for select to fettle_auth using (true);
grant select, insert, update (role, status, updated_at) on core.membership to fettle_app, fettle_admin;
grant select on core.membership to fettle_worker, fettle_auth;
grant references on core.membership to fettle_author;

create table core.former_name (
  user_id uuid        not null references core.app_user (id),
  until   timestamptz not null,
  name    text        not null check (btrim(name) <> ''),
  primary key (user_id, until)
);

comment on table  core.former_name is
  'Former names of users, so that a past event can be shown with the name at that time. Global.';
comment on column core.former_name.user_id is 'The person or service account.';
comment on column core.former_name.until is 'Time at which the name was replaced.';
comment on column core.former_name.name is 'Name before the replacement.';

alter table core.former_name enable row level security;
alter table core.former_name force row level security;
create policy colleagues on core.former_name for select to fettle_app, fettle_worker
  using (
    user_id = (select core.current_user_id())
    or exists (
      select from core.membership m
      where m.company_id = (select core.current_company())
        and m.user_id = former_name.user_id
    )
  );
create policy operator on core.former_name for select to fettle_admin using (true);
create policy auth on core.former_name to fettle_auth using (true) with check (true);
grant select on core.former_name to fettle_app, fettle_worker, fettle_admin;
grant select, insert on core.former_name to fettle_auth;

create table core.invite (
  company_id uuid        not null,
  id         uuid        not null,
  role       text        not null,
  hint       text        not null default '',
  email_key  text        check (email_key = lower(btrim(email_key)) and email_key <> ''),
  max_uses   integer     not null default 1 check (max_uses between 1 and 1000),
  used       integer     not null default 0,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  created_by uuid,
  created_at timestamptz not null default now(),
  primary key (company_id, id),
  foreign key (company_id, role) references core.role (company_id, name),
  foreign key (company_id, created_by) references core.membership (company_id, user_id),
  constraint invite_used_within_limit check (used between 0 and max_uses),
  constraint invite_expires_later check (expires_at > created_at)
);

create index on core.invite (company_id, role);
create index on core.invite (company_id, created_by) where created_by is not null;

comment on table  core.invite is
  'Invitations. One UPDATE with used < max_uses redeems an invitation, so that the limit holds under concurrency.';
comment on column core.invite.company_id is 'Company that invites.';
comment on column core.invite.id is 'Id of the invitation; not the code.';
comment on column core.invite.role is 'Role that a new member receives.';
comment on column core.invite.hint is 'Last characters of the code, to tell invitations apart in a list.';
comment on column core.invite.email_key is
  'The only e-mail address that may redeem the code; null for any address.';
comment on column core.invite.max_uses is 'Maximum number of redemptions.';
comment on column core.invite.used is 'Number of redemptions so far.';
comment on column core.invite.expires_at is 'Time of expiry; the code is refused from then on.';
comment on column core.invite.revoked_at is 'Time of revocation; null if not revoked.';
comment on column core.invite.created_by is 'Member who grants the role; null for an operator.';
comment on column core.invite.created_at is 'Time of creation.';

select core.attach_tenant_table('core.invite');
create policy auth on core.invite for select to fettle_auth
  using (company_id = (select core.current_company()));
grant select, insert, update (used, revoked_at) on core.invite to fettle_app, fettle_admin;
grant select (company_id, id, email_key, max_uses, used, expires_at, revoked_at) on core.invite to fettle_auth;
grant select (company_id, id, role, email_key, expires_at, created_by) on core.invite to fettle_worker;

-- A global table has no foreign key to a company's rows: in a distributed database it is on all nodes, and
-- the company's rows are on one. Instead, only entry functions insert here and into core.api_token; they check
-- that the referenced row exists, and invitations and memberships are never deleted.
create table core.invite_locator (
  code_hmac  bytea primary key check (octet_length(code_hmac) = 32),
  company_id uuid  not null,
  invite_id  uuid  not null
);

create index on core.invite_locator (company_id, invite_id);

comment on table  core.invite_locator is
  'Company and invitation of each invite code; one shown at creation, one for each mail. Global and secret.';
comment on column core.invite_locator.code_hmac is 'Secret: HMAC-SHA-256 of the code, keyed with the pepper.';
comment on column core.invite_locator.company_id is 'Company that invites.';
comment on column core.invite_locator.invite_id is 'The invitation.';

alter table core.invite_locator enable row level security;
alter table core.invite_locator force row level security;
create policy auth_select on core.invite_locator for select to fettle_auth using (true);
create policy auth_insert on core.invite_locator for insert to fettle_auth
  with check (company_id = (select core.current_company()));
grant select, insert on core.invite_locator to fettle_auth;

create table core.invite_redemption (
  company_id  uuid        not null,
  invite_id   uuid        not null,
  user_id     uuid        not null,
  redeemed_at timestamptz not null default now(),
  primary key (company_id, invite_id, user_id),
  foreign key (company_id, invite_id) references core.invite (company_id, id),
  foreign key (company_id, user_id) references core.membership (company_id, user_id)
);

create index on core.invite_redemption (company_id, user_id);

comment on table  core.invite_redemption is 'Redemptions of invitations, one row per user.';
comment on column core.invite_redemption.company_id is 'The company.';
comment on column core.invite_redemption.invite_id is 'The invitation.';
comment on column core.invite_redemption.user_id is 'User who redeemed the invitation.';
comment on column core.invite_redemption.redeemed_at is 'Time of redemption.';

select core.attach_tenant_table('core.invite_redemption');
grant select, insert on core.invite_redemption to fettle_app, fettle_admin;

create table core.invite_failure (
  id      uuid        primary key default gen_random_uuid(),
  at      timestamptz not null default now(),
  source  text        not null default '',
  account text        not null default ''
);

create index on core.invite_failure (at);
create index on core.invite_failure (source, at);
create index on core.invite_failure (account, at);

comment on table  core.invite_failure is
  'Refused invite codes, counted to limit further attempts; kept although the redemption fails. Global.';
comment on column core.invite_failure.id is 'Key of the row.';
comment on column core.invite_failure.at is 'Time of the refusal.';
comment on column core.invite_failure.source is 'Network address of the client, or the place where the command ran.';
comment on column core.invite_failure.account is 'Normalized e-mail address given with the code.';

alter table core.invite_failure enable row level security;
alter table core.invite_failure force row level security;
create policy operator on core.invite_failure to fettle_admin using (true) with check (true);
create policy auth on core.invite_failure to fettle_auth using (true) with check (true);
grant select, delete on core.invite_failure to fettle_admin;
grant select, insert on core.invite_failure to fettle_auth;

create table core.api_token (
  id           uuid        primary key,
  company_id   uuid        not null,
  user_id      uuid        not null,
  name         text        not null check (btrim(name) <> ''),
  secret_hash  bytea       not null check (octet_length(secret_hash) = 32),
  scopes       text[]      not null default '{}',
  expires_at   timestamptz,
  last_used_at timestamptz,
  revoked_at   timestamptz,
  created_at   timestamptz not null default now()
);

create index on core.api_token (company_id, user_id);

comment on table  core.api_token is
  'API tokens. Global, because a token is read before its company is known; a company sees its own tokens.';
comment on column core.api_token.id is 'Id of the token, part of the token in clear text.';
comment on column core.api_token.company_id is 'Company that the token gives access to.';
comment on column core.api_token.user_id is 'Owner, whose permissions limit the token.';
comment on column core.api_token.name is 'Name given by the owner.';
comment on column core.api_token.secret_hash is 'Secret: SHA-256 of the token''s secret part.';
comment on column core.api_token.scopes is
  'Permissions of the token, limited to those that its owner has at the time of use.';
comment on column core.api_token.expires_at is
  'Time of expiry, from which the token is refused; null if it does not expire.';
comment on column core.api_token.last_used_at is 'Time of the last use, accurate to the minute; null if never used.';
comment on column core.api_token.revoked_at is 'Time of revocation; null if not revoked.';
comment on column core.api_token.created_at is 'Time of creation.';

select core.attach_tenant_table('core.api_token');
create policy auth_select on core.api_token for select to fettle_auth using (true);
create policy auth_insert on core.api_token for insert to fettle_auth
  with check (company_id = (select core.current_company()));
grant select (id, company_id, user_id, name, scopes, expires_at, last_used_at, revoked_at, created_at),
  update (name, last_used_at, revoked_at) on core.api_token to fettle_app, fettle_admin;
grant select, insert on core.api_token to fettle_auth;
