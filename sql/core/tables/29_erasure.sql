-- Erasures of companies and people. The rows name nobody once an erasure is finished: a digest tells whether somebody was
-- erased, to a program that knows whom it asks for.

create table core.erasure (
  id           uuid        primary key default gen_random_uuid(),
  kind         text        not null check (kind in ('company', 'person')),
  subject      uuid,
  replacement  uuid,
  digest       bytea       not null unique check (octet_length(digest) = 32),
  label        bytea       not null check (octet_length(label) = 32),
  due_at       timestamptz not null,
  requested_at timestamptz not null default now(),
  requested_by text        not null,
  started_at   timestamptz,
  finished_at  timestamptz,
  erased       bigint      not null default 0 check (erased >= 0),
  constraint erasure_names_nobody check ((finished_at is null) = (subject is not null)),
  constraint erasure_of_person_has_replacement
    check ((replacement is not null) = (kind = 'person' and finished_at is null)),
  constraint erasure_starts_first check (finished_at is null or started_at is not null)
);

comment on table  core.erasure is 'Erasures of companies and people: requested, running and finished ones. Global.';
comment on column core.erasure.id is 'Id of the erasure, which jobs and audit name instead of its subject.';
comment on column core.erasure.kind is 'What is erased: company or person.';
comment on column core.erasure.subject is 'Id of the company or person; null once it is erased.';
comment on column core.erasure.replacement is
  'Id of the account without a name that takes the place of an erased person; null for a company, and once she is erased.';
comment on column core.erasure.digest is 'SHA-256 of the id of the company or person.';
comment on column core.erasure.label is
  'SHA-256 of the erasure''s id with the short name or the address, by which people ask for the erasure later.';
comment on column core.erasure.due_at is 'Time from which the erasure may start; it can be cancelled before.';
comment on column core.erasure.requested_at is 'Time of the request.';
comment on column core.erasure.requested_by is 'Operator who asked for it.';
comment on column core.erasure.started_at is 'Time of the start, after which nothing can be restored; null before.';
comment on column core.erasure.finished_at is 'Time at which no row was left; null before.';
comment on column core.erasure.erased is 'Number of deleted or changed rows.';

grant select on core.erasure to fettle_admin, fettle_worker;
grant select, insert, update, delete on core.erasure to fettle_eraser;

create policy eraser on core.company to fettle_eraser
  using (id = (select core.current_company()) and kind <> 'system')
  with check (id = (select core.current_company()) and kind <> 'system');
grant select, update (slug, name, timezone, language, status, settings, updated_at) on core.company to fettle_eraser;

-- What belongs to people and to no company. The rows of companies are reached by the policies of core.attach_eraser().
create policy eraser on core.app_user to fettle_eraser using (true) with check (true);
create policy eraser on core.former_name to fettle_eraser using (true) with check (true);
create policy eraser on core.identity to fettle_eraser using (true) with check (true);
create policy eraser on core.recovery_code to fettle_eraser using (true) with check (true);
create policy eraser on core.second_factor to fettle_eraser using (true) with check (true);
create policy eraser on core.sign_in to fettle_eraser using (true) with check (true);
create policy eraser on core.mail_profile to fettle_eraser using (true) with check (true);
create policy eraser on core.mail_request to fettle_eraser using (true) with check (true);
create policy eraser on core.mail_token to fettle_eraser using (true) with check (true);
create policy eraser on core.invite_failure to fettle_eraser using (true) with check (true);
grant select, delete on core.former_name, core.identity, core.recovery_code, core.second_factor, core.sign_in,
  core.mail_profile, core.mail_request, core.mail_token, core.invite_failure to fettle_eraser;
grant select, insert, delete on core.app_user to fettle_eraser;
grant insert on core.membership, core.history_erasure to fettle_eraser;
grant select on core.app, core.record_type to fettle_eraser;
