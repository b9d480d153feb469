-- Mail: what people get by mail and in which language, codes that mails carry, and mails that were sent.
-- The mail server's answers decide about addresses: a permanent refusal stops further mails.

create table core.mail_profile (
  user_id        uuid        primary key references core.app_user (id),
  language       text        check (language in ('en', 'sv')),
  refused_key    text        check (refused_key = lower(btrim(refused_key)) and refused_key <> ''),
  refused_status integer,
  refused_reason text        check (length(refused_reason) <= 500),
  refused_at     timestamptz,
  updated_at     timestamptz not null default now(),
  constraint mail_profile_refused_at_once
    check (num_nulls(refused_key, refused_reason, refused_at) in (0, 3))
);

comment on table  core.mail_profile is
  'Language of people''s mails, and addresses that refuse mails. Global; visible to members of a shared company.';
comment on column core.mail_profile.user_id is 'The person.';
comment on column core.mail_profile.language is 'Language of mails: en or sv; null for the language of the company.';
comment on column core.mail_profile.refused_key is
  'Address that a mail server refused permanently; null if none. It has no effect after the address has changed.';
comment on column core.mail_profile.refused_status is 'Code of the refusal, such as 550; null if none is known.';
comment on column core.mail_profile.refused_reason is 'Text of the refusal; null if there was none.';
comment on column core.mail_profile.refused_at is 'Time of the refusal; null if there was none.';
comment on column core.mail_profile.updated_at is 'Time of the last change.';

alter table core.mail_profile enable row level security;
alter table core.mail_profile force row level security;
create policy colleagues on core.mail_profile for select to fettle_app, fettle_worker
  using (
    user_id = (select core.current_user_id())
    or exists (
      select from core.membership m
      where m.company_id = (select core.current_company())
        and m.user_id = mail_profile.user_id
    )
  );
create policy self_insert on core.mail_profile for insert to fettle_app
  with check (user_id = (select core.current_user_id()));
create policy self_update on core.mail_profile for update to fettle_app
  using (user_id = (select core.current_user_id())) with check (user_id = (select core.current_user_id()));
create policy operator on core.mail_profile to fettle_admin using (true) with check (true);
create policy auth on core.mail_profile to fettle_auth using (true) with check (true);
grant select, insert (user_id, language), update (language, updated_at) on core.mail_profile
  to fettle_app, fettle_admin;
grant select on core.mail_profile to fettle_worker;
grant select, insert, update on core.mail_profile to fettle_auth;

create table core.mail_preference (
  company_id uuid        not null,
  user_id    uuid        not null,
  digest     text        not null default 'off' check (digest in ('off', 'daily', 'weekly')),
  updated_at timestamptz not null default now(),
  primary key (company_id, user_id),
  foreign key (company_id, user_id) references core.membership (company_id, user_id)
);

comment on table  core.mail_preference is 'Digests of members: one mail with the open notices.';
comment on column core.mail_preference.company_id is 'The company.';
comment on column core.mail_preference.user_id is 'The member.';
comment on column core.mail_preference.digest is 'Digest: off, daily, or weekly (on Mondays).';
comment on column core.mail_preference.updated_at is 'Time of the last change.';

select core.attach_tenant_table('core.mail_preference');
grant select, insert, update (digest, updated_at) on core.mail_preference to fettle_app, fettle_admin;
grant select on core.mail_preference to fettle_worker;

create table core.mail_request (
  id           uuid        primary key,
  purpose      text        not null check (purpose in ('verify', 'reset')),
  email_key    text        not null check (email_key = lower(btrim(email_key)) and length(email_key) between 1 and 320),
  requests     integer     not null check (requests > 0),
  window_at    timestamptz not null default now(),
  requested_at timestamptz not null default now(),
  unique (purpose, email_key)
);

create index on core.mail_request (requested_at);

comment on table  core.mail_request is
  'Requests for mails with a code, of known and unknown addresses, one row for each address and purpose. Global.';
comment on column core.mail_request.id is 'Id of the row, which is all that the payload of a job contains.';
comment on column core.mail_request.purpose is 'Purpose of the code: verify (an address) or reset (a password).';
comment on column core.mail_request.email_key is 'Normalized e-mail address as typed; it may belong to nobody.';
comment on column core.mail_request.requests is 'Number of requests since window_at.';
comment on column core.mail_request.window_at is 'Start of the hour in which the requests are counted.';
comment on column core.mail_request.requested_at is 'Time of the last request; rows are deleted a day later.';

alter table core.mail_request enable row level security;
alter table core.mail_request force row level security;
create policy auth on core.mail_request to fettle_auth using (true) with check (true);
grant select, insert, update (requests, window_at, requested_at), delete on core.mail_request to fettle_auth;

create table core.mail_token (
  id          uuid        primary key,
  user_id     uuid        not null references core.app_user (id),
  purpose     text        not null check (purpose in ('verify', 'reset')),
  email_key   text        not null check (email_key <> ''),
  secret_hash bytea       not null check (octet_length(secret_hash) = 32),
  created_at  timestamptz not null default now(),
  expires_at  timestamptz not null,
  used_at     timestamptz,
  constraint mail_token_expires_later check (expires_at > created_at)
);

create index on core.mail_token (user_id);

comment on table  core.mail_token is
  'Codes in mails that verify an address or reset a password, each for one use. Global; only entry functions read it.';
comment on column core.mail_token.id is 'Id of the code, part of it in clear text.';
comment on column core.mail_token.user_id is 'The person.';
comment on column core.mail_token.purpose is 'Purpose: verify (an address) or reset (a password).';
comment on column core.mail_token.email_key is
  'Address that the mail was sent to; the code is refused after the person''s address has changed.';
comment on column core.mail_token.secret_hash is 'Secret: SHA-256 of the code.';
comment on column core.mail_token.created_at is 'Time at which the mail was sent.';
comment on column core.mail_token.expires_at is 'Time from which the code is refused.';
comment on column core.mail_token.used_at is 'Time of use, or of the use of a later code; null if usable.';

alter table core.mail_token enable row level security;
alter table core.mail_token force row level security;
create policy auth on core.mail_token to fettle_auth using (true) with check (true);
grant select, insert, update (used_at), delete on core.mail_token to fettle_auth;

create table core.mail_delivery (
  company_id  uuid        not null references core.company (id),
  job_id      uuid        not null,
  letter      text        not null check (letter ~ '^[a-z]+$'),
  message_id  text        not null check (message_id <> ''),
  sent_at     timestamptz not null default now(),
  status      integer     not null,
  answer      text        not null check (length(answer) <= 500),
  primary key (company_id, job_id)
);

create index on core.mail_delivery (company_id, sent_at);

comment on table  core.mail_delivery is
  'Mails that a server took in the last 30 days, so that a repeated job does not send its mail again.';
comment on column core.mail_delivery.company_id is
  'The company; the system company for mails about accounts.';
comment on column core.mail_delivery.job_id is 'The job that sent the mail.';
comment on column core.mail_delivery.letter is 'Letter: verify, reset, invite, notice or digest.';
comment on column core.mail_delivery.message_id is 'Message-ID of the mail, the same in every attempt.';
comment on column core.mail_delivery.sent_at is 'Time at which the server took the mail.';
comment on column core.mail_delivery.status is 'Code of the server''s answer, such as 250.';
comment on column core.mail_delivery.answer is 'Text of the server''s answer.';

select core.attach_tenant_table('core.mail_delivery');
grant select on core.mail_delivery to fettle_app, fettle_worker, fettle_admin;
grant insert, delete on core.mail_delivery to fettle_worker;

-- Digests of the morning; members choose them in core.mail_preference.
insert into core.app_schedule (name, app, kind, cron)
values ('mail.digest', 'core', 'mail.digest', '0 7 * * *');
