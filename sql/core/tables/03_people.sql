-- People and service accounts, their memberships in companies, their invitations and API tokens.
-- People, passwords and tokens are written through entry functions that run as fettle_auth.

create table core.app_user (
  id            uuid        primary key,
  email         text        not null check (btrim(email) <> '' and length(email) <= 320),
  email_key     text        not null generated always as (lower(btrim(email))) stored,
  name          text        not null check (btrim(name) <> ''),
  kind          text        not null default 'person' check (kind in ('person', 'service', 'visitor')),
  password_hash text        check (password_hash <> ''),
  status        text        not null default 'active' check (status in ('active', 'disabled')),
  created_at    timestamptz not null default now(),
  updated_at    timestamptz not null default now(),
  unique (email_key)
);

comment on table  core.app_user is
  'People and service accounts, each once for all companies. Global; seen by those who share a company.';
comment on column core.app_user.id is 'The same in every company.';
comment on column core.app_user.email is 'As its owner writes it.';
comment on column core.app_user.email_key is 'As it is compared: trimmed, in lower case.';
comment on column core.app_user.name is 'What others read.';
comment on column core.app_user.kind is 'person, service (a program), or visitor (not signed in yet).';
comment on column core.app_user.password_hash is
  'Secret: what crypt(3) made of the password; null: none set.';
comment on column core.app_user.status is 'A disabled user can do nothing in any company.';
comment on column core.app_user.created_at is 'When it was made.';
comment on column core.app_user.updated_at is 'When it was last changed.';

alter table core.app_user enable row level security;
alter table core.app_user force row level security;
create policy self_update on core.app_user for update to fettle_app
  using (id = (select core.current_user_id())) with check (id = (select core.current_user_id()));
create policy operator on core.app_user to fettle_admin using (true) with check (true);
create policy doors on core.app_user to fettle_auth using (true) with check (true);
grant select (id, email, email_key, name, kind, status, created_at, updated_at), update (name, updated_at)
  on core.app_user to fettle_app;
grant select (id, email, email_key, name, kind, status, created_at, updated_at) on core.app_user
  to fettle_worker;
grant select (id, email, email_key, name, kind, status, created_at, updated_at), update (email, name, status,
  updated_at) on core.app_user to fettle_admin;
grant select, insert (id, email, name, kind), update (name, email, password_hash, updated_at)
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

comment on table  core.membership is 'Who is in which company, as what. A row is never removed.';
comment on column core.membership.company_id is 'The company.';
comment on column core.membership.user_id is 'The person or service account.';
comment on column core.membership.role is 'The one role there.';
comment on column core.membership.status is 'active, suspended for a while, or removed for good.';
comment on column core.membership.invited_by is 'The member who asked them in; null: an operator.';
comment on column core.membership.created_at is 'When they joined.';
comment on column core.membership.updated_at is 'When role or status last changed.';

-- Visible to the person and to members of the transaction's company, if the person is one too.
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
create policy doors on core.membership for select to fettle_auth using (true);
grant select, insert, update (role, status, updated_at) on core.membership to fettle_app, fettle_admin;
grant select on core.membership to fettle_worker, fettle_auth;

create table core.former_name (
  user_id uuid        not null references core.app_user (id),
  until   timestamptz not null,
  name    text        not null check (btrim(name) <> ''),
  primary key (user_id, until)
);

comment on table  core.former_name is
  'Names that people had before, so that history and audit show the name of then. Global.';
comment on column core.former_name.user_id is 'The person or service account.';
comment on column core.former_name.until is 'When the name was replaced.';
comment on column core.former_name.name is 'The name until then.';

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
create policy doors on core.former_name to fettle_auth using (true) with check (true);
grant select on core.former_name to fettle_app, fettle_worker, fettle_admin;
grant select, insert on core.former_name to fettle_auth;

create table core.invite (
  company_id uuid        not null,
  id         uuid        not null,
  role       text        not null,
  hint       text        not null default '',
  email_key  text        check (email_key = lower(btrim(email_key)) and email_key <> ''),
  max_uses   integer     not null default 1 check (max_uses between 1 and 10000),
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
  'Invitations. Redeemed inside the company by one UPDATE with used < max_uses in its WHERE.';
comment on column core.invite.company_id is 'The company that invites.';
comment on column core.invite.id is 'The invitation; not the code.';
comment on column core.invite.role is 'The role that a redeemer gets.';
comment on column core.invite.hint is 'The end of the code, to tell invitations apart in a list.';
comment on column core.invite.email_key is 'Only this address may redeem it; null: anyone with the code.';
comment on column core.invite.max_uses is 'How many people may redeem it.';
comment on column core.invite.used is 'How many did.';
comment on column core.invite.expires_at is 'From then on it is refused.';
comment on column core.invite.revoked_at is 'Set: it was taken back.';
comment on column core.invite.created_by is 'The member who grants the role; null: an operator.';
comment on column core.invite.created_at is 'When it was made.';

select core.attach_tenant_table('core.invite');
create policy doors on core.invite for select to fettle_auth
  using (company_id = (select core.current_company()));
grant select, insert, update (used, revoked_at) on core.invite to fettle_app, fettle_admin;
grant select (company_id, id) on core.invite to fettle_auth;

-- A global table has no foreign key to a company's rows, since in a distributed database it is on all nodes.
-- Only entry functions insert here and into core.api_token, and they check that the referenced row exists;
-- invitations and memberships are never deleted.
create table core.invite_locator (
  code_hmac  bytea primary key check (octet_length(code_hmac) = 32),
  company_id uuid  not null,
  invite_id  uuid  not null,
  unique (company_id, invite_id)
);

comment on table  core.invite_locator is
  'From a code to its company and invitation. Global and secret: reached through functions only.';
comment on column core.invite_locator.code_hmac is 'Secret: HMAC-SHA-256 of the code with the pepper.';
comment on column core.invite_locator.company_id is 'The company that invites.';
comment on column core.invite_locator.invite_id is 'The invitation.';

alter table core.invite_locator enable row level security;
alter table core.invite_locator force row level security;
create policy doors_select on core.invite_locator for select to fettle_auth using (true);
create policy doors_insert on core.invite_locator for insert to fettle_auth
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

comment on table  core.invite_redemption is 'Who came in by which invitation.';
comment on column core.invite_redemption.company_id is 'The company.';
comment on column core.invite_redemption.invite_id is 'The invitation.';
comment on column core.invite_redemption.user_id is 'Who redeemed it.';
comment on column core.invite_redemption.redeemed_at is 'When.';

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
  'Codes that were refused, for throttling; written in a transaction that commits. Global, no company.';
comment on column core.invite_failure.id is 'Key of the row.';
comment on column core.invite_failure.at is 'When.';
comment on column core.invite_failure.source is 'Network address it came from, or where a command ran.';
comment on column core.invite_failure.account is 'The e-mail key that was given.';

grant select, insert on core.invite_failure to fettle_app;
grant select, insert, delete on core.invite_failure to fettle_admin;

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
  'API tokens. Global, because a token is looked up before its company is known; a company sees its own.';
comment on column core.api_token.id is 'Stands in the token in clear.';
comment on column core.api_token.company_id is 'The company it works in.';
comment on column core.api_token.user_id is 'Whose rights bound it.';
comment on column core.api_token.name is 'What its owner calls it.';
comment on column core.api_token.secret_hash is 'Secret: SHA-256 of the token''s secret part.';
comment on column core.api_token.scopes is
  'Permissions it may use, of those that its owner has at that moment.';
comment on column core.api_token.expires_at is 'From then on it is refused; null: never.';
comment on column core.api_token.last_used_at is 'When it was last used, to the minute.';
comment on column core.api_token.revoked_at is 'Set: it was taken back.';
comment on column core.api_token.created_at is 'When it was made.';

select core.attach_tenant_table('core.api_token');
create policy doors_select on core.api_token for select to fettle_auth using (true);
create policy doors_insert on core.api_token for insert to fettle_auth
  with check (company_id = (select core.current_company()));
grant select (id, company_id, user_id, name, scopes, expires_at, last_used_at, revoked_at, created_at),
  update (name, last_used_at, revoked_at) on core.api_token to fettle_app, fettle_admin;
grant select, insert on core.api_token to fettle_auth;
