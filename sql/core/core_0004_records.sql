-- What every write of a record leaves behind: the answer under its key, history, feed, timers.

create table core.idempotency (
  company_id   uuid        not null,
  key          text        not null check (length(key) between 1 and 200),
  actor        text        not null,
  request_hash bytea       not null,
  answer       jsonb,
  created_at   timestamptz not null default now(),
  primary key (company_id, key)
);

comment on table  core.idempotency is 'Commands that were given a key, and the answer each got.';
comment on column core.idempotency.company_id is 'The company.';
comment on column core.idempotency.key is 'What the client called its command.';
comment on column core.idempotency.actor is 'Who gave it; another actor''s key is a conflict.';
comment on column core.idempotency.request_hash is
  'Digest of the command; the same key with another is a conflict.';
comment on column core.idempotency.answer is
  'The first answer; null only inside the transaction that writes it.';
comment on column core.idempotency.created_at is 'When; old keys are dropped.';

create table core.history (
  company_id         uuid        not null,
  record_type        text        not null,
  record_id          uuid        not null,
  seq                bigint      not null check (seq > 0),
  kind               text        not null
                     check (kind in ('create', 'edit', 'delete', 'restore', 'transition', 'import')),
  occurred_at        timestamptz not null default now(),
  definition_version integer,
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

comment on table core.history is
  'What happened to each record, in order, as a chain of hashes. Append-only.';
comment on column core.history.company_id is 'The company.';
comment on column core.history.record_type is 'Type of the record.';
comment on column core.history.record_id is 'The record.';
comment on column core.history.seq is 'Number within the record, from 1 without gaps.';
comment on column core.history.kind is 'What happened.';
comment on column core.history.occurred_at is 'When, by the database''s clock.';
comment on column core.history.definition_version is 'Version of the workflow that was followed.';
comment on column core.history.transition is 'The transition, if one was taken.';
comment on column core.history.from_status is 'Status before.';
comment on column core.history.to_status is 'Status after.';
comment on column core.history.actor_kind is 'What acted: member, device, token, operator or system.';
comment on column core.history.actor_id is 'Which one.';
comment on column core.history.actor_name is 'The name as it was then; personal, salted in the hash.';
comment on column core.history.on_behalf_of is 'The member in whose name it was done, if another did it.';
comment on column core.history.comment is 'What was said about it; personal, salted in the hash.';
comment on column core.history.changes is 'Column to its value before and after.';
comment on column core.history.salt is
  'Salts the digests of personal text; dropped when the person is erased.';
comment on column core.history.actor_name_digest is
  'Salted SHA-256 of the name, which the hash covers in its place; it stays when the person is erased.';
comment on column core.history.comment_digest is 'Likewise of the comment; empty without one.';
comment on column core.history.changes_digest is 'Likewise of the changes; empty without any.';
comment on column core.history.request_id is 'The request that it belongs to.';
comment on column core.history.hash is 'SHA-256 over this row and the hash before it.';

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
  'Once a day, a digest over the heads of all chains of a company: a chain cut short or swapped is found.';
comment on column core.history_seal.company_id is 'The company.';
comment on column core.history_seal.sealed_on is 'The day, where the company is.';
comment on column core.history_seal.sealed_at is 'History up to this moment is covered.';
comment on column core.history_seal.record_count is 'Number of heads covered.';
comment on column core.history_seal.digest is
  'SHA-256 over type, record, seq and hash of each, in that order.';
comment on column core.history_seal.previous_digest is 'Digest of the seal before; empty in the first.';

create table core.sync_gate (
  company_id uuid   primary key references core.company (id),
  floor      bigint not null default 0 check (floor >= 0)
);

comment on table  core.sync_gate is
  'One row a company, locked (never counted up) last in a transaction: it puts commits in the feed''s order.';
comment on column core.sync_gate.company_id is 'The company.';
comment on column core.sync_gate.floor is
  'Numbers up to this one were used, even if the feed no longer has them.';

create table core.feed (
  company_id  uuid        not null,
  scope       text        not null,
  record_type text        not null,
  record_id   uuid        not null,
  seq         bigint      not null check (seq > 0),
  op          text        not null check (op in ('put', 'delete', 'leave')),
  version     bigint      not null,
  changed_at  timestamptz not null default now(),
  primary key (company_id, scope, record_id)
) with (fillfactor = 80);

create unique index feed_order on core.feed (company_id, seq);

comment on table  core.feed is 'The newest change of every record, in the order of commits; devices pull it.';
comment on column core.feed.company_id is 'The company.';
comment on column core.feed.scope is 'Who gets it: the whole company, or one person.';
comment on column core.feed.record_type is 'Type of the record.';
comment on column core.feed.record_id is 'The record.';
comment on column core.feed.seq is 'Place in the company''s order; taken under the gate.';
comment on column core.feed.op is 'put: there it is; delete: a tombstone; leave: no longer in this scope.';
comment on column core.feed.version is 'Version of the record at that change.';
comment on column core.feed.changed_at is 'When.';

create table core.timer (
  company_id   uuid        not null,
  record_type  text        not null,
  record_id    uuid        not null,
  entry_no     bigint      not null,
  fire         text        not null,
  due_at       timestamptz not null,
  repeat_every interval    check (repeat_every > '0'),
  remaining    integer     check (remaining >= 0),
  primary key (company_id, record_type, record_id, entry_no, fire)
);

create index on core.timer (due_at);

comment on table  core.timer is
  'Transitions that the system takes when time has passed. Control: ids only, seen by workers everywhere.';
comment on column core.timer.company_id is 'The company.';
comment on column core.timer.record_type is 'Type of the record.';
comment on column core.timer.record_id is 'The record.';
comment on column core.timer.entry_no is 'Which entering of the status armed it; after the next it is void.';
comment on column core.timer.fire is 'The transition to take.';
comment on column core.timer.due_at is 'When.';
comment on column core.timer.repeat_every is 'Then again after this long; null: once.';
comment on column core.timer.remaining is 'How often still; null: without end.';

create table core.attachment (
  company_id uuid        not null,
  id         uuid        not null,
  sha256     bytea       not null check (octet_length(sha256) = 32),
  size_bytes integer     not null check (size_bytes between 0 and 2097152),
  media_type text        not null check (media_type ~ '^[a-z0-9.+-]+/[a-z0-9.+-]+$'),
  created_by uuid,
  created_at timestamptz not null default now(),
  primary key (company_id, id),
  foreign key (company_id, created_by) references core.membership (company_id, user_id)
);

create index on core.attachment (company_id, created_by) where created_by is not null;
create index on core.attachment (company_id, sha256);

comment on table  core.attachment is 'Files that records point to; the bytes are kept by their digest.';
comment on column core.attachment.company_id is 'The company.';
comment on column core.attachment.id is 'Chosen by the client.';
comment on column core.attachment.sha256 is 'Digest of the bytes.';
comment on column core.attachment.size_bytes is 'Size; at most 2 MiB.';
comment on column core.attachment.media_type is 'What kind of file it is.';
comment on column core.attachment.created_by is 'The member who brought it; null when the system did.';
comment on column core.attachment.created_at is 'When.';
