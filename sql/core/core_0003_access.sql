-- Ways in (invite codes, API tokens, report logins) and the record of who changed what about them.

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

-- A global table has no foreign key to a company's rows (in a distributed database it lives on every node).
-- The functions that alone may insert here and into core.api_token look for the row that is meant; neither
-- invitations nor memberships are ever removed.
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

create table core.report_login (
  role_name  name primary key,
  company_id uuid not null references core.company (id)
);

create index on core.report_login (company_id);

comment on table  core.report_login is
  'Which company a login of the group fettle_report_company sees. Global; kept by operators.';
comment on column core.report_login.role_name is 'The database login.';
comment on column core.report_login.company_id is 'The one company whose reports it reads.';

create table core.audit (
  company_id   uuid        not null,
  id           uuid        not null default gen_random_uuid(),
  at           timestamptz not null default now(),
  actor_kind   text        not null
                           check (actor_kind in ('member', 'device', 'token', 'operator', 'system')),
  actor_id     uuid,
  actor_name   text        not null default '',
  on_behalf_of uuid,
  action       text        not null check (action ~ '^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$'),
  subject_type text        not null default '',
  subject_id   text        not null default '',
  detail       jsonb       not null default '{}' check (jsonb_typeof(detail) = 'object'),
  request_id   uuid,
  primary key (company_id, id)
);

create index on core.audit (company_id, at);
create index on core.audit (company_id, subject_type, subject_id, at);

comment on table  core.audit is
  'Who did what to people, roles and settings. Append-only; the system company has what concerns none.';
comment on column core.audit.company_id is 'The company it happened in.';
comment on column core.audit.id is 'Key of the row.';
comment on column core.audit.at is 'When.';
comment on column core.audit.actor_kind is 'What acted: member, device, token, operator or system.';
comment on column core.audit.actor_id is 'Which one; null for an operator or the system.';
comment on column core.audit.actor_name is 'The name as it was then.';
comment on column core.audit.on_behalf_of is 'The member in whose name it was done, if another did it.';
comment on column core.audit.action is 'noun.verb, such as member.suspend.';
comment on column core.audit.subject_type is 'What it was done to: company, member, role, invite …';
comment on column core.audit.subject_id is 'Which one.';
comment on column core.audit.detail is 'What changed, without secrets.';
comment on column core.audit.request_id is 'The request that it belongs to.';
