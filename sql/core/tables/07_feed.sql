-- The change feed that devices pull, and the gate that orders its entries by commit.

create table core.sync_gate (
  company_id uuid   primary key references core.company (id),
  floor      bigint not null default 0 check (floor >= 0)
);

comment on table  core.sync_gate is
  'One row per company; a transaction locks it last, so that feed positions follow the order of commits.';
comment on column core.sync_gate.company_id is 'The company.';
comment on column core.sync_gate.floor is
  'Highest feed position known to be used, even if the feed no longer contains it. Says nothing of trimming.';

select core.attach_tenant_table('core.sync_gate');
grant select, insert, update (floor) on core.sync_gate to fettle_app, fettle_worker, fettle_admin;

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
-- A page of one scope, without reading the company's other changes.
create index feed_scope on core.feed (company_id, scope, seq);

comment on table  core.feed is 'Newest change of each record in the order of commits, for devices.';
comment on column core.feed.company_id is 'The company.';
comment on column core.feed.scope is
  'Scope that devices subscribe to: the record type, followed by /user-id of the owner if the type is private.';
comment on column core.feed.record_type is 'Type of the record.';
comment on column core.feed.record_id is 'The record.';
comment on column core.feed.seq is 'Position in the feed of the company, assigned while the gate is locked.';
comment on column core.feed.op is
  'Operation: put (created or changed), delete (tombstone) or leave (moved to another scope).';
comment on column core.feed.version is 'Version of the record after the change.';
comment on column core.feed.changed_at is 'Time of the change.';

select core.attach_tenant_table('core.feed');
grant select, insert, update (seq, op, version, changed_at) on core.feed to fettle_app, fettle_worker, fettle_admin;
grant delete on core.feed to fettle_worker, fettle_admin;
