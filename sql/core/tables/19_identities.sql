-- Identities at identity providers, the steps of a sign-in, and second factors. All tables are global and secret:
-- only entry functions, which run as fettle_auth, read and write them.

create table core.identity (
  issuer       text        not null check (issuer <> '' and length(issuer) <= 255),
  subject      text        not null check (subject <> '' and length(subject) <= 255),
  id           uuid        not null,
  user_id      uuid        not null references core.app_user (id),
  email        text        check (length(email) <= 320),
  linked_at    timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  primary key (issuer, subject),
  unique (id)
);

create index on core.identity (user_id);

comment on table  core.identity is
  'Accounts at identity providers with which users sign in. Global; the key is the provider and its id of the person, never an e-mail address.';
comment on column core.identity.issuer is 'Identity provider: the claim iss of its tokens.';
comment on column core.identity.subject is 'Id of the person at the provider: the claim sub.';
comment on column core.identity.id is 'Id of the row, which names the identity in the API.';
comment on column core.identity.user_id is 'User who signs in with it.';
comment on column core.identity.email is 'E-mail address that the provider named last, for display; null if none.';
comment on column core.identity.linked_at is 'Time at which the identity was linked to the user.';
comment on column core.identity.last_used_at is 'Time of the last sign-in with it.';

alter table core.identity enable row level security;
alter table core.identity force row level security;
create policy auth on core.identity to fettle_auth using (true) with check (true);
grant select, insert, update (email, last_used_at), delete on core.identity to fettle_auth;

create table core.sign_in (
  id                 uuid        primary key,
  step               text        not null check (step in ('nonce', 'provider', 'second_factor')),
  secret_hash        bytea       not null unique check (octet_length(secret_hash) = 32),
  browser_hash       bytea       check (octet_length(browser_hash) = 32),
  nonce_hash         bytea       check (octet_length(nonce_hash) = 32),
  sealed_verifier    bytea,
  sealed_choices     bytea,
  issuer             text,
  redirect           text        check (redirect like '/%' and length(redirect) <= 2048),
  user_id            uuid        references core.app_user (id),
  link_company_id    uuid,
  link_session_id    uuid,
  link_generation    integer,
  attempts_left      integer     not null default 5 check (attempts_left >= 0),
  created_at         timestamptz not null default now(),
  expires_at         timestamptz not null,
  constraint sign_in_expires_later check (expires_at > created_at),
  constraint sign_in_provider_complete check (
    step <> 'provider'
    or browser_hash is not null and nonce_hash is not null and sealed_verifier is not null
      and issuer is not null and redirect is not null
  ),
  constraint sign_in_factor_of_user check (step <> 'second_factor' or user_id is not null)
);

create index on core.sign_in (expires_at);
create index on core.sign_in (user_id) where user_id is not null;

comment on table  core.sign_in is
  'Open steps of sign-ins: nonces for native apps, visits to an identity provider, and waits for a second factor. Global; rows are deleted when used.';
comment on column core.sign_in.id is 'Id of the step.';
comment on column core.sign_in.step is
  'Kind of step: nonce (for an ID token), provider (the browser is at the provider) or second_factor (a code is expected).';
comment on column core.sign_in.secret_hash is 'Secret: SHA-256 of the nonce, of the OAuth state or of the step token.';
comment on column core.sign_in.browser_hash is 'Secret: SHA-256 of the cookie of the browser that began the step.';
comment on column core.sign_in.nonce_hash is 'Secret: SHA-256 of the nonce that the ID token must have.';
comment on column core.sign_in.sealed_verifier is 'Secret: the PKCE code verifier, encrypted by the engine.';
comment on column core.sign_in.sealed_choices is
  'Secret: the company, the invite code and the visitor that the first step named, encrypted by the engine; null if none.';
comment on column core.sign_in.issuer is 'Identity provider of the step: the claim iss of its tokens.';
comment on column core.sign_in.redirect is 'Path on this server to open at the end.';
comment on column core.sign_in.user_id is
  'User who passed the first step, or who links an identity; null if not known yet.';
comment on column core.sign_in.link_company_id is 'Company of the session that links an identity; null otherwise.';
comment on column core.sign_in.link_session_id is 'Session that links an identity; null otherwise.';
comment on column core.sign_in.link_generation is 'Generation of that session''s secrets.';
comment on column core.sign_in.attempts_left is 'Number of codes that may still be tried.';
comment on column core.sign_in.created_at is 'Time of creation.';
comment on column core.sign_in.expires_at is 'Time of expiry; the step is refused from then on.';

alter table core.sign_in enable row level security;
alter table core.sign_in force row level security;
create policy auth on core.sign_in to fettle_auth using (true) with check (true);
grant select, insert, update (attempts_left), delete on core.sign_in to fettle_auth;

create table core.second_factor (
  user_id        uuid        primary key references core.app_user (id),
  sealed_secret  bytea,
  confirmed_at   timestamptz,
  last_step      bigint,
  pending_secret bytea,
  pending_until  timestamptz,
  attempts       integer     not null default 0 check (attempts >= 0),
  attempts_since timestamptz not null default now(),
  constraint second_factor_confirmed check ((sealed_secret is null) = (confirmed_at is null)),
  constraint second_factor_pending check ((pending_secret is null) = (pending_until is null))
);

comment on table  core.second_factor is
  'Second factors of users: time-based one-time passwords (RFC 6238). Global.';
comment on column core.second_factor.user_id is 'The user.';
comment on column core.second_factor.sealed_secret is
  'Secret: the shared secret in use, encrypted by the engine; null before the first confirmation.';
comment on column core.second_factor.confirmed_at is 'Time at which the user proved to have the secret in use; null before.';
comment on column core.second_factor.last_step is
  'Time step of the last accepted code. Codes of this step and earlier ones are refused.';
comment on column core.second_factor.pending_secret is
  'Secret: a new shared secret, encrypted by the engine, until its first code confirms it; null if none.';
comment on column core.second_factor.pending_until is 'Time until which the new secret can be confirmed.';
comment on column core.second_factor.attempts is 'Number of codes tried since attempts_since.';
comment on column core.second_factor.attempts_since is 'Beginning of the 15 minutes in which attempts are counted.';

alter table core.second_factor enable row level security;
alter table core.second_factor force row level security;
create policy auth on core.second_factor to fettle_auth using (true) with check (true);
grant select, insert, update, delete on core.second_factor to fettle_auth;

create table core.recovery_code (
  user_id    uuid        not null references core.app_user (id),
  code_hash  bytea       not null check (octet_length(code_hash) = 32),
  created_at timestamptz not null default now(),
  used_at    timestamptz,
  primary key (user_id, code_hash)
);

comment on table  core.recovery_code is
  'Recovery codes, each of which replaces a code of the second factor once. Global.';
comment on column core.recovery_code.user_id is 'The user.';
comment on column core.recovery_code.code_hash is 'Secret: SHA-256 of the user''s id and the code.';
comment on column core.recovery_code.created_at is 'Time of creation.';
comment on column core.recovery_code.used_at is 'Time of use; null if not used.';

alter table core.recovery_code enable row level security;
alter table core.recovery_code force row level security;
create policy auth on core.recovery_code to fettle_auth using (true) with check (true);
grant select, insert, update (used_at), delete on core.recovery_code to fettle_auth;
