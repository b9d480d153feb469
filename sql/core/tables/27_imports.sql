-- Imports: a row for each import of a file that wrote records, by which it can be undone.

create table core.import (
  company_id  uuid        not null,
  number      bigint      not null check (number > 0),
  record_type text        not null,
  file        text        not null default '' check (length(file) <= 200),
  request_id  uuid        not null,
  owner_id    uuid,
  at          timestamptz not null default now(),
  actor_name  text        not null default '',
  imported    bigint      not null default 0 check (imported >= 0),
  changed     bigint      not null default 0 check (changed >= 0),
  created     bigint      not null default 0 check (created >= 0),
  undone_at   timestamptz,
  undone_by   text,
  primary key (company_id, number),
  unique (company_id, request_id),
  foreign key (company_id, owner_id) references core.membership (company_id, user_id),  -- keep
  constraint import_undone_by_somebody check ((undone_at is null) = (undone_by is null))
);

create index on core.import (company_id, owner_id) where owner_id is not null;

-- The records that an import created. Entries of other kinds are not in it.
create index history_imported on core.history (company_id, request_id) where seq = 1 and kind = 'import';

comment on table  core.import is 'Imports of files that wrote records.';
comment on column core.import.company_id is 'The company.';
comment on column core.import.number is 'Number of the import, ascending within the company.';
comment on column core.import.record_type is 'Type of the imported records.';
comment on column core.import.file is 'Name of the file without its folder; empty if unknown.';
comment on column core.import.request_id is 'Id of the request, which history entries of the created records have too.';
comment on column core.import.owner_id is 'Owner of imported private records; null if they belong to the company.';
comment on column core.import.at is 'Time of the import.';
comment on column core.import.actor_name is 'Name of the actor at that time.';
comment on column core.import.imported is 'Number of records of the type that were created.';
comment on column core.import.changed is 'Number of existing records that were changed or completed.';
comment on column core.import.created is 'Number of other records that were created because lines refer to them.';
comment on column core.import.undone_at is 'Time at which the created records were removed; null if they were not.';
comment on column core.import.undone_by is 'Name of the actor who removed them; null if nobody has.';

select core.attach_tenant_table('core.import');
create policy owner on core.import as restrictive to fettle_app, fettle_worker, fettle_admin
  using (owner_id is null or owner_id = (select core.current_user_id()))
  with check (owner_id is null or owner_id = (select core.current_user_id()));
grant select, insert, update (undone_at, undone_by) on core.import to fettle_app, fettle_admin;

-- A visitor's imports follow the private records that they brought, in core.claim_records(). Numbers count private
-- imports of other members too, in core.next_import_number().
create policy auth on core.import to fettle_auth
  using (company_id = (select core.current_company()))
  with check (company_id = (select core.current_company()));
grant select (company_id, number, owner_id), update (owner_id) on core.import to fettle_auth;

-- Files that people have sent to import, until they are imported or given up.

create table core.import_file (
  company_id  uuid        not null,
  id          uuid        not null,
  user_id     uuid        not null,
  record_type text        not null,
  name        text        not null check (length(name) between 1 and 200),
  content     bytea       check (octet_length(content) <= 33554432),
  choices     jsonb       not null default '{}' check (octet_length(choices::text) <= 262144),
  state       text        not null default 'open' check (state in ('open', 'running', 'done', 'failed')),
  outcome     jsonb,
  created_at  timestamptz not null default now(),
  updated_at  timestamptz not null default now(),
  primary key (company_id, id),
  foreign key (company_id, user_id) references core.membership (company_id, user_id)  -- keep
);

create index on core.import_file (company_id, user_id, record_type, created_at desc);

comment on table  core.import_file is 'Files that people have sent to import in a browser. The choices stay when the content is gone.';
comment on column core.import_file.company_id is 'The company.';
comment on column core.import_file.id is 'Id of the file.';
comment on column core.import_file.user_id is 'Who sent the file; nobody else sees it.';
comment on column core.import_file.record_type is 'Type of the records that the file has.';
comment on column core.import_file.name is 'Name of the file.';
comment on column core.import_file.content is 'The file; null after the import, and when it was given up.';
comment on column core.import_file.choices is 'Columns and notation that were chosen, proposed again for the next file of the type.';
comment on column core.import_file.state is 'State: open, running, done or failed.';
comment on column core.import_file.outcome is 'What the import did or why it failed; null before it.';
comment on column core.import_file.created_at is 'Time at which the file was sent.';
comment on column core.import_file.updated_at is 'Time of the last choice or result.';

select core.attach_tenant_table('core.import_file');
create policy owner on core.import_file as restrictive to fettle_app
  using (user_id = (select core.current_user_id()))
  with check (user_id = (select core.current_user_id()));
grant select, insert, update (content, choices, state, outcome, updated_at), delete on core.import_file to fettle_app, fettle_admin;
