-- Files of records. The bytes are stored outside the database, under their SHA-256 and separately for each company;
-- these tables name them. The row of a blob is inserted before its bytes are stored, and deleted after they are removed.

create table core.attachment (
  company_id      uuid        not null,
  id              uuid        not null,
  record_type     text        not null,
  record_id       uuid        not null,
  owner_id        uuid,
  kind            text        not null check (kind ~ '^[a-z][a-z0-9_]{0,62}$'),
  name            text        not null check (btrim(name) <> '' and length(name) <= 200),
  state           text        not null default 'pending'
                  check (state in ('awaited', 'pending', 'ready', 'refused')),
  media_type      text        not null check (media_type ~ '^[a-z0-9.+-]+/[a-z0-9.+-]+$'),
  size_bytes      integer     not null check (size_bytes between 1 and 67108864),
  original_sha256 bytea       check (octet_length(original_sha256) = 32),
  sha256          bytea       check (octet_length(sha256) = 32),
  thumb_sha256    bytea       check (octet_length(thumb_sha256) = 32),
  refusal         text        check (length(refusal) <= 500),
  created_by      uuid,
  created_at      timestamptz not null default now(),
  prepared_at     timestamptz,
  deleted_at      timestamptz,
  purged_at       timestamptz,
  primary key (company_id, id),
  foreign key (company_id, created_by) references core.membership (company_id, user_id),  -- keep
  foreign key (company_id, owner_id) references core.membership (company_id, user_id),    -- keep
  constraint attachment_arrived check (state in ('awaited', 'refused') or original_sha256 is not null),
  constraint attachment_ready check (state <> 'ready' or sha256 is not null),
  constraint attachment_purged check (purged_at is null or deleted_at is not null)
);

create index on core.attachment (company_id, record_type, record_id, created_at, id);
create index on core.attachment (company_id, created_by) where created_by is not null;
create index on core.attachment (company_id, owner_id) where owner_id is not null;
create index on core.attachment (company_id, original_sha256);
create index on core.attachment (company_id, sha256) where sha256 is not null;
create index on core.attachment (company_id, thumb_sha256) where thumb_sha256 is not null;
create index attachment_awaited on core.attachment (company_id, created_by) where state = 'awaited';
create index attachment_deleted on core.attachment (company_id, deleted_at)
  where deleted_at is not null and purged_at is null;

comment on table  core.attachment is 'Files of records of any type. The bytes are blobs outside the database.';
comment on column core.attachment.company_id is 'The company.';
comment on column core.attachment.id is 'Id of the file, chosen by the client; the same as that of its upload.';
comment on column core.attachment.record_type is 'Type of the record.';
comment on column core.attachment.record_id is 'The record.';
comment on column core.attachment.owner_id is
  'Owner of the private record, the only member who sees the file; null if the record belongs to the company.';
comment on column core.attachment.kind is 'Kind of file, from the manifest of the record''s type, such as photo.';
comment on column core.attachment.name is 'Name of the file at the uploader, without folders.';
comment on column core.attachment.state is
  'awaited while only the device that attached the file has its bytes; pending until file.prepare has run: only the uploader can read the file; then ready or refused.';
comment on column core.attachment.media_type is
  'Media type found in the bytes: of the uploaded ones while pending, of the prepared ones when ready; unknown while awaited.';
comment on column core.attachment.size_bytes is
  'Size in bytes: as declared while awaited, of the uploaded file while pending, of the prepared one when ready.';
comment on column core.attachment.original_sha256 is
  'SHA-256 of the uploaded bytes, which recognises a repeated upload; as declared, or null, while awaited. The bytes are removed once the file is prepared.';
comment on column core.attachment.sha256 is
  'SHA-256 of the prepared bytes, without location data; null before file.prepare.';
comment on column core.attachment.thumb_sha256 is 'SHA-256 of the thumbnail; null if there is none.';
comment on column core.attachment.refusal is 'Reason for which the file was refused; null for other states.';
comment on column core.attachment.created_by is 'Member who uploaded the file; null for the system or an operator.';
comment on column core.attachment.created_at is
  'Time at which the upload was complete, or at which a device attached the file.';
comment on column core.attachment.prepared_at is 'Time at which file.prepare decided; null while pending.';
comment on column core.attachment.deleted_at is 'Time of deletion; null if not deleted.';
comment on column core.attachment.purged_at is
  'Time from which the file no longer needs its blobs, 30 days after deletion; null before.';

select core.attach_tenant_table('core.attachment');
create policy owner_private on core.attachment as restrictive to fettle_app, fettle_worker, fettle_admin
  using (owner_id is null or owner_id = (select core.current_user_id()))
  with check (owner_id is null or owner_id = (select core.current_user_id()));
create policy auth on core.attachment to fettle_auth
  using (company_id = (select core.current_company()))
  with check (company_id = (select core.current_company()));
-- An awaited file becomes pending, or is refused, when its bytes arrive.
grant select, insert, update (state, media_type, size_bytes, original_sha256, refusal, prepared_at, deleted_at)
  on core.attachment to fettle_app, fettle_admin;
grant select, insert,
  update (state, media_type, size_bytes, sha256, thumb_sha256, refusal, prepared_at, deleted_at)
  on core.attachment to fettle_worker;
grant select (company_id, id, state, size_bytes, original_sha256, sha256, thumb_sha256, deleted_at, purged_at), update (purged_at)
  on core.attachment to fettle_auth;
grant references on core.attachment to fettle_author;

create table core.blob (
  company_id  uuid        not null references core.company (id),
  sha256      bytea       not null check (octet_length(sha256) = 32),
  size_bytes  integer     not null check (size_bytes between 1 and 67108864),
  claimed_at  timestamptz not null default now(),
  stored_at   timestamptz,
  removing_at timestamptz,
  primary key (company_id, sha256)
);

create index blob_removing on core.blob (company_id, removing_at) where removing_at is not null;

comment on table  core.blob is
  'Stored bytes, which attachments and uploads name by SHA-256. Companies share none, even if the bytes are equal.';
comment on column core.blob.company_id is 'The company.';
comment on column core.blob.sha256 is 'SHA-256 of the bytes, and their key in the store.';
comment on column core.blob.size_bytes is 'Size in bytes, which counts towards the quota.';
comment on column core.blob.claimed_at is 'Time at which an upload or a job first claimed the bytes.';
comment on column core.blob.stored_at is 'Time from which the store is known to have the bytes; null before.';
comment on column core.blob.removing_at is
  'Time from which the bytes are being removed, so that nothing may claim them; null for a blob in use.';

select core.attach_tenant_table('core.blob');
create policy auth on core.blob to fettle_auth
  using (company_id = (select core.current_company()))
  with check (company_id = (select core.current_company()));
grant select, insert, update (claimed_at, stored_at) on core.blob to fettle_app, fettle_worker, fettle_admin;
grant select (company_id, sha256, size_bytes, removing_at), update (removing_at), delete on core.blob to fettle_auth;

create table core.upload (
  company_id     uuid        not null,
  id             uuid        not null,
  record_type    text        not null,
  record_id      uuid        not null,
  owner_id       uuid,
  kind           text        not null,
  name           text        not null check (btrim(name) <> '' and length(name) <= 200),
  size_bytes     integer     not null check (size_bytes between 1 and 67108864),
  is_size_exact  boolean     not null default false,
  received       integer     not null default 0 check (received between 0 and size_bytes),
  sha256         bytea       check (octet_length(sha256) = 32),
  expected       bytea       check (octet_length(expected) = 32),
  created_by     uuid,
  created_at     timestamptz not null default now(),
  expires_at     timestamptz not null,
  writer         uuid,
  writing_until  timestamptz,
  finished_at    timestamptz,
  primary key (company_id, id),
  foreign key (company_id, created_by) references core.membership (company_id, user_id),  -- keep
  foreign key (company_id, owner_id) references core.membership (company_id, user_id)     -- keep
);

create index on core.upload (company_id, record_type, record_id);
create index on core.upload (company_id, created_by) where created_by is not null;
create index on core.upload (company_id, owner_id) where owner_id is not null;
create index on core.upload (company_id, sha256) where sha256 is not null;
create index on core.upload (company_id, expires_at);

comment on table  core.upload is 'Uploads of files, open ones and those that have just become attachments.';
comment on column core.upload.company_id is 'The company.';
comment on column core.upload.id is 'Id of the upload and of the later attachment, chosen by the client.';
comment on column core.upload.record_type is 'Type of the record that gets the file.';
comment on column core.upload.record_id is 'The record that gets the file.';
comment on column core.upload.owner_id is 'Owner of the private record; null if the record belongs to the company.';
comment on column core.upload.kind is 'Kind of file, from the manifest of the record''s type.';
comment on column core.upload.name is 'Name of the file at the uploader, without folders.';
comment on column core.upload.size_bytes is
  'Declared size, or the maximum size of the kind; reserved in the quota while the upload is open.';
comment on column core.upload.is_size_exact is 'True if the client declared the size.';
comment on column core.upload.received is 'Number of bytes that the store is known to have.';
comment on column core.upload.sha256 is
  'SHA-256 of all bytes, and a claim to their blob; null until the upload is complete.';
comment on column core.upload.expected is 'SHA-256 that the client declared; null if none.';
comment on column core.upload.created_by is 'Member who uploads; null for an operator.';
comment on column core.upload.created_at is 'Time of creation.';
comment on column core.upload.expires_at is 'Time from which the upload accepts no bytes.';
comment on column core.upload.writer is 'Request that is sending bytes; null if none.';
comment on column core.upload.writing_until is 'Time until which the request has the upload to itself.';
comment on column core.upload.finished_at is 'Time at which the upload became an attachment; null before.';

select core.attach_tenant_table('core.upload');
create policy owner_private on core.upload as restrictive to fettle_app, fettle_worker, fettle_admin
  using (owner_id is null or owner_id = (select core.current_user_id()))
  with check (owner_id is null or owner_id = (select core.current_user_id()));
create policy auth on core.upload to fettle_auth
  using (company_id = (select core.current_company()))
  with check (company_id = (select core.current_company()));
grant select, insert, update (received, sha256, expires_at, writer, writing_until, finished_at)
  on core.upload to fettle_app, fettle_admin;
grant select on core.upload to fettle_worker;
grant select (company_id, id, sha256, size_bytes, expires_at, writing_until, finished_at), delete on core.upload
  to fettle_auth;

-- Removes abandoned uploads, and bytes that no file names, at night.
insert into core.app_schedule (name, app, kind, cron)
values ('file.purge', 'core', 'file.purge', '40 3 * * *');
