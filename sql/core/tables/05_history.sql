-- The history of all records, one hash chain per record, and daily seals over the newest entry of each chain.
-- Append-only: no role has the right to update or delete.

create table core.history (
  company_id         uuid        not null,
  record_type        text        not null,
  record_id          uuid        not null,
  seq                bigint      not null check (seq > 0),
  kind               text        not null
                     check (kind in ('create', 'edit', 'delete', 'restore', 'transition', 'import', 'migrate')),
  occurred_at        timestamptz not null default now(),
  definition_version integer,
  version            bigint,
  device_id          uuid,
  transition         text,
  from_status        text,
  to_status          text,
  actor_kind         text        not null
                     check (actor_kind in ('member', 'device', 'token', 'operator', 'system')),
  actor_id           uuid,
  actor_name         text        not null default '',
  on_behalf_of       uuid,
  comment            text,
  changes            jsonb       not null default '{}',
  salt               bytea       not null default '\x',
  actor_name_digest  bytea       not null default '\x',
  comment_digest     bytea       not null default '\x',
  changes_digest     bytea       not null default '\x',
  request_id         uuid,
  hash               bytea       not null check (octet_length(hash) = 32),
  primary key (company_id, record_type, record_id, seq),
  constraint history_transition_named check ((kind = 'transition') <= (transition is not null))
);

-- The values that imports could not read, by which a corrected file finds its records.
create index history_unread on core.history (company_id, record_type)
  where seq = 1 and kind = 'import' and changes - 'source_line' <> '{}';

comment on table core.history is
  'History of records: one row per event, each with the hash of the event before. Append-only.';
comment on column core.history.company_id is 'The company.';
comment on column core.history.record_type is 'Type of the record.';
comment on column core.history.record_id is 'The record.';
comment on column core.history.seq is 'Number within the record, from 1 without gaps.';
comment on column core.history.kind is 'Kind of event: create, edit, delete, restore, transition, import or migrate.';
comment on column core.history.occurred_at is 'Time of the event, by the database''s clock.';
comment on column core.history.definition_version is
  'Version of the workflow that the record followed; null if none.';
comment on column core.history.version is
  'Version of the record after the event; null for events of imports and migrations of workflows. Not in the hash.';
comment on column core.history.device_id is
  'Device whose change the event is; null for other events and for what followed from the change. Not in the hash.';
comment on column core.history.transition is 'Name of the transition; null if none was taken.';
comment on column core.history.from_status is 'Status before; null if none.';
comment on column core.history.to_status is 'Status after; null if none.';
comment on column core.history.actor_kind is 'Kind of actor: member, device, token, operator or system.';
comment on column core.history.actor_id is 'Id of the actor; null if it has none.';
comment on column core.history.actor_name is
  'Name of the actor at that time. Personal: the hash covers actor_name_digest instead.';
comment on column core.history.on_behalf_of is 'Member on whose behalf another actor acted; null if none.';
comment on column core.history.comment is
  'Comment on the event; null if none. Personal: the hash covers comment_digest instead.';
comment on column core.history.changes is
  'Changed columns with their values before and after. Personal: the hash covers changes_digest instead.';
comment on column core.history.salt is
  'Salt of the three digests; deleted when the person is erased.';
comment on column core.history.actor_name_digest is
  'Salted SHA-256 of actor_name, which stays when the name is erased.';
comment on column core.history.comment_digest is
  'Salted SHA-256 of the comment, which stays when the comment is erased; empty if there is none.';
comment on column core.history.changes_digest is
  'Salted SHA-256 of the changes, which stays when they are erased; empty if there are none.';
comment on column core.history.request_id is 'Id of the request that caused the event; null if none.';
comment on column core.history.hash is 'SHA-256 over this row and the hash of the previous row.';

select core.attach_tenant_table('core.history');
-- The history of a private record is as private as the record. The array is read once per statement; the function
-- is called for private records only.
create policy owner_private on core.history as restrictive for select to fettle_app, fettle_worker, fettle_admin
  using (
    record_type <> all (coalesce((select core.private_types()), '{}'))
    or core.owns_record(record_type, record_id)
  );
-- Reports never show histories of private records.
create policy reports_private on core.history as restrictive for select to fettle_report, fettle_report_company
  using (record_type <> all (coalesce((select core.private_types()), '{}')));
create policy auth on core.history for select to fettle_auth
  using (company_id = (select core.current_company()));
grant select, insert on core.history to fettle_app, fettle_worker, fettle_admin;
grant select (company_id, record_type, record_id, seq, occurred_at, transition, from_status, to_status, actor_id,
  on_behalf_of, changes, hash) on core.history to fettle_auth;

create table core.history_erasure (
  company_id  uuid        not null,
  record_type text        not null,
  record_id   uuid        not null,
  seq         bigint      not null,
  covers      bytea       not null check (octet_length(covers) = 32),
  reason      text        not null check (btrim(reason) <> '' and length(reason) <= 500),
  erased_at   timestamptz not null default now(),
  erased_by   text        not null default session_user,
  primary key (company_id, record_type, record_id, seq),
  foreign key (company_id, record_type, record_id, seq)
    references core.history (company_id, record_type, record_id, seq)
);

comment on table  core.history_erasure is
  'Erasures of personal texts in history. An entry without its texts and without a row here was blanked by somebody.';
comment on column core.history_erasure.company_id is 'The company.';
comment on column core.history_erasure.record_type is 'Type of the record.';
comment on column core.history_erasure.record_id is 'The record.';
comment on column core.history_erasure.seq is 'Number of the entry whose texts were erased.';
comment on column core.history_erasure.covers is
  'SHA-256 of the hash of the entry and the digests of the erased texts.';
comment on column core.history_erasure.reason is 'Reason, such as the request of the person; without their name.';
comment on column core.history_erasure.erased_at is 'Time of the erasure.';
comment on column core.history_erasure.erased_by is 'Login that erased.';

select core.attach_tenant_table('core.history_erasure');
create policy owner_private on core.history_erasure as restrictive for select to fettle_app, fettle_worker, fettle_admin
  using (
    record_type <> all (coalesce((select core.private_types()), '{}'))
    or core.owns_record(record_type, record_id)
  );
grant select on core.history_erasure to fettle_app, fettle_worker, fettle_admin;

create table core.history_seal (
  company_id      uuid        not null,
  sealed_on       date        not null,
  sealed_at       timestamptz not null default now(),
  record_count    bigint      not null check (record_count >= 0),
  digest          bytea       not null check (octet_length(digest) = 32),
  previous_digest bytea       not null default '\x' check (octet_length(previous_digest) in (0, 32)),
  primary key (company_id, sealed_on)
);

comment on table  core.history_seal is
  'Daily digests over the newest history rows of all records of a company; reveal a truncated or replaced chain.';
comment on column core.history_seal.company_id is 'The company.';
comment on column core.history_seal.sealed_on is 'Sealed day, in the company''s time zone.';
comment on column core.history_seal.sealed_at is 'Time up to which the seal covers history.';
comment on column core.history_seal.record_count is 'Number of records covered.';
comment on column core.history_seal.digest is
  'SHA-256 over record type, record id, seq and hash of the newest history row of each record.';
comment on column core.history_seal.previous_digest is 'Digest of the previous seal; empty in the first.';

select core.attach_tenant_table('core.history_seal');
grant select, insert on core.history_seal to fettle_app, fettle_worker, fettle_admin;
