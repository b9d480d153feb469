-- Synchronisation: the devices of members, the judgement of every change that a device sent, and the floors of scopes.

create table core.device (
  company_id     uuid        not null,
  id             uuid        not null,
  user_id        uuid        not null,
  name           text        not null check (btrim(name) <> '' and length(name) <= 200),
  app            text        check (app ~ '^[a-z][a-z0-9_]*$'),
  platform       text        not null default '' check (length(platform) <= 100),
  app_version    text        not null default '' check (length(app_version) <= 100),
  schema_version integer     not null default 1 check (schema_version >= 1),
  done_days      integer     check (done_days between 1 and 3650),
  max_no         bigint      not null default 0 check (max_no >= 0),
  confirmed_no   bigint      not null default 0 check (confirmed_no >= 0),
  cursor_seq     bigint      not null default 0 check (cursor_seq >= 0),
  queue_pending  integer     not null default 0 check (queue_pending >= 0),
  queue_failed   integer     not null default 0 check (queue_failed >= 0),
  queue_oldest   timestamptz,
  last_push_at   timestamptz,
  last_pull_at   timestamptz,
  created_at     timestamptz not null default now(),
  revoked_at     timestamptz,
  primary key (company_id, id),
  foreign key (company_id, user_id) references core.membership (company_id, user_id)
);

create index on core.device (company_id, user_id);

comment on table  core.device is 'Devices of members, which change records offline and synchronise later.';
comment on column core.device.company_id is 'The company.';
comment on column core.device.id is 'Id of the device, chosen by it.';
comment on column core.device.user_id is 'Member who uses the device.';
comment on column core.device.name is 'Name of the device, for people.';
comment on column core.device.app is 'App whose records the device has; null for those of all apps.';
comment on column core.device.platform is 'Operating system, as the device says; empty if it says none.';
comment on column core.device.app_version is 'Version of the client, as the device says; empty if it says none.';
comment on column core.device.schema_version is 'Version of the record types that the client was built for.';
comment on column core.device.done_days is
  'Days for which the device keeps work that is done; null to keep all of it.';
comment on column core.device.max_no is 'Highest number of a change that the device has sent.';
comment on column core.device.confirmed_no is
  'Number up to which the device has stored every answer; answers up to it are deleted.';
comment on column core.device.cursor_seq is 'Position in the feed up to which the device has everything.';
comment on column core.device.queue_pending is 'Changes that wait on the device: as it said last, and those that were not judged then.';
comment on column core.device.queue_failed is 'Changes that failed on the device without a judgement of the server, as it said last.';
comment on column core.device.queue_oldest is 'Time of the oldest waiting change, as the device said last; null if none.';
comment on column core.device.last_push_at is 'Time at which the device last sent changes; null if never.';
comment on column core.device.last_pull_at is 'Time at which the device last asked for changes; null if never.';
comment on column core.device.created_at is 'Time of registration.';
comment on column core.device.revoked_at is 'Time from which the device is refused; null if it is not.';

select core.attach_tenant_table('core.device');
grant select, insert,
  update (name, app, platform, app_version, schema_version, done_days, max_no, confirmed_no, cursor_seq, queue_pending, queue_failed,
    queue_oldest, last_push_at, last_pull_at, revoked_at)
  on core.device to fettle_app, fettle_worker, fettle_admin;
-- For the totals of all companies.
create policy auth on core.device for select to fettle_auth using (true);
grant select (company_id, id, confirmed_no, cursor_seq, queue_pending, queue_failed, queue_oldest, last_push_at, last_pull_at,
  revoked_at)
  on core.device to fettle_auth;
create policy auth on core.feed for select to fettle_auth using (true);
grant select (company_id, seq) on core.feed to fettle_auth;

create table core.sync_item (
  company_id   uuid        not null,
  device_id    uuid        not null,
  no           bigint      not null check (no > 0),
  status       text        not null
               check (status in ('pending', 'uploading', 'synced', 'conflict', 'failed', 'resolved')),
  attempts     smallint    not null default 0 check (attempts >= 0),
  record_type  text        not null,
  record_id    uuid        not null,
  op           text        not null check (op in ('create', 'patch', 'transition', 'delete', 'attach')),
  owner_id     uuid,
  request_hash bytea       check (octet_length(request_hash) = 32),
  result       text        check (result in ('applied', 'merged', 'conflict', 'rejected')),
  version      bigint,
  code         text,
  mutation     jsonb,
  answer       jsonb,
  retry_wanted boolean     not null default false,
  resolution   text        check (resolution in ('server', 'mine', 'merge', 'discard')),
  resolved_by  uuid,
  first_at     timestamptz not null default now(),
  updated_at   timestamptz not null default now(),
  primary key (company_id, device_id, no),
  foreign key (company_id, device_id) references core.device (company_id, id),
  foreign key (company_id, owner_id) references core.membership (company_id, user_id),     -- keep
  foreign key (company_id, resolved_by) references core.membership (company_id, user_id),  -- keep
  constraint sync_item_judged check ((result is null) = (request_hash is null)),
  constraint sync_item_resolved check ((status = 'resolved') = (resolution is not null))
);

create index on core.sync_item (company_id, status, updated_at) where status in ('conflict', 'failed');
create index on core.sync_item (company_id, device_id, record_id) where status in ('conflict', 'failed');
create index on core.sync_item (company_id, device_id, record_id) where resolution = 'mine';
create index sync_item_described on core.sync_item (company_id, device_id) where result is null;
create index on core.sync_item (company_id, owner_id) where owner_id is not null;
create index on core.sync_item (company_id, resolved_by) where resolved_by is not null;

comment on table  core.sync_item is
  'The status of every change that a device sent, and its answer, so that a repetition gets the first answer.';
comment on column core.sync_item.company_id is 'The company.';
comment on column core.sync_item.device_id is 'The device.';
comment on column core.sync_item.no is 'Number of the change, assigned by the device in ascending order.';
comment on column core.sync_item.status is
  'pending, uploading and failed as the device says; synced, conflict and failed as the server judged; resolved.';
comment on column core.sync_item.attempts is 'Failed attempts of the device to send the change.';
comment on column core.sync_item.record_type is 'Type of the record.';
comment on column core.sync_item.record_id is 'The record.';
comment on column core.sync_item.op is 'Operation: create, patch, transition, delete or attach.';
comment on column core.sync_item.owner_id is
  'Owner of the private record, the only member who sees the item; null if the record belongs to the company.';
comment on column core.sync_item.request_hash is
  'SHA-256 of the change: another change under the same number comes from a cloned device. Null before the judgement.';
comment on column core.sync_item.result is 'Judgement: applied, merged, conflict or rejected; null before it.';
comment on column core.sync_item.version is 'Version of the record after the change, or the server''s version; null if none.';
comment on column core.sync_item.code is 'Error code of a conflict or a refusal; null if there is none.';
comment on column core.sync_item.mutation is 'The change, if it was in conflict or failed; otherwise null.';
comment on column core.sync_item.answer is 'Further members of the answer, while in conflict or failed; otherwise null.';
comment on column core.sync_item.retry_wanted is 'True if a person asks the device to send the change again.';
comment on column core.sync_item.resolution is
  'Decision about a conflict or failure: server, mine, merge or discard; null before it.';
comment on column core.sync_item.resolved_by is 'Member who decided; null for an operator or before the decision.';
comment on column core.sync_item.first_at is 'Time at which the server first received or was told of the change.';
comment on column core.sync_item.updated_at is 'Time of the last change of the status.';

select core.attach_tenant_table('core.sync_item');
create policy owner_private on core.sync_item as restrictive to fettle_app, fettle_worker, fettle_admin
  using (owner_id is null or owner_id = (select core.current_user_id()))
  with check (owner_id is null or owner_id = (select core.current_user_id()));
grant select, insert,
  update (status, attempts, request_hash, result, version, code, mutation, answer, retry_wanted, resolution,
    resolved_by, updated_at)
  on core.sync_item to fettle_app, fettle_worker, fettle_admin;
create policy reports_private on core.sync_item as restrictive for select to fettle_report, fettle_report_company
  using (owner_id is null);
-- Old answers are forgotten by a function, which sees those about private records too. The totals are of all companies.
create policy auth on core.sync_item for select to fettle_auth using (true);
create policy auth_delete on core.sync_item for delete to fettle_auth
  using (company_id = (select core.current_company()));
grant select (company_id, device_id, no, status, result, updated_at), delete on core.sync_item to fettle_auth;

create table core.sync_floor (
  company_id uuid   not null references core.company (id),
  scope      text   not null,
  seq        bigint not null check (seq > 0),
  primary key (company_id, scope)
);

comment on table  core.sync_floor is
  'Scopes of the feed from which old deletions were removed. A cursor below the floor starts again at 0.';
comment on column core.sync_floor.company_id is 'The company.';
comment on column core.sync_floor.scope is 'The scope, as in core.feed.';
comment on column core.sync_floor.seq is 'Position from which the feed has every deletion of the scope.';

select core.attach_tenant_table('core.sync_floor');
grant select on core.sync_floor to fettle_app, fettle_admin;
grant select, insert, update (seq) on core.sync_floor to fettle_worker;

-- The channel that tells serving processes which companies have changes for devices. PostgreSQL 15 has no right to
-- listen: every login of the database can. The name is therefore a secret of the installation, and the payloads name
-- companies by keyed hashes.
create table core.sync_channel (
  only_row boolean primary key default true check (only_row),
  name     text    not null check (name ~ '^fettle_[0-9a-f]{32}$'),
  key      bytea   not null check (octet_length(key) = 32)
);

comment on table  core.sync_channel is
  'The channel on which serving processes hear of changes for devices, and the key of its payloads. Global.';
comment on column core.sync_channel.only_row is 'Always true: the table has one row.';
comment on column core.sync_channel.name is 'Name of the channel; random, because every login of the database can listen.';
comment on column core.sync_channel.key is 'Random key of the hashes that stand for companies.';

insert into core.sync_channel (name, key)
values (
  'fettle_' || replace(gen_random_uuid()::text, '-', ''),
  decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex')
);

grant select on core.sync_channel to fettle_app, fettle_auth;

-- Deletes answers and deletions that no device needs, at night.
insert into core.app_schedule (name, app, kind, cron)
values ('sync.trim', 'core', 'sync.trim', '50 3 * * *');

insert into core.report (name, app, title, view_name, sort_order, permission)
values (
  'sync', null, 'Devices, what waits on them, and conflicts', 'v1_sync_health', '{company,member,name}', 'member.read'
);
