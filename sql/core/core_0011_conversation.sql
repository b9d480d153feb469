-- What people say about records, who is told of what, and how many records a company may have.

create table core.comment (
  company_id  uuid        not null,
  id          uuid        not null,
  record_type text        not null,
  record_id   uuid        not null,
  owner_id    uuid,
  body        text        not null check (btrim(body) <> '' and length(body) <= 10000),
  mentions    uuid[]      not null default '{}' check (cardinality(mentions) <= 50),
  created_by  uuid,
  author_name text        not null default '',
  created_at  timestamptz not null default now(),
  edited_at   timestamptz,
  deleted_at  timestamptz,
  primary key (company_id, id),
  foreign key (company_id, created_by) references core.membership (company_id, user_id),  -- keep
  foreign key (company_id, owner_id) references core.membership (company_id, user_id)     -- keep
);

create index on core.comment (company_id, record_type, record_id, created_at, id);
create index on core.comment (company_id, created_by) where created_by is not null;
create index on core.comment (company_id, owner_id) where owner_id is not null;

comment on table  core.comment is 'What people say about a record, of whatever type.';
comment on column core.comment.company_id is 'The company.';
comment on column core.comment.id is 'Chosen by the client.';
comment on column core.comment.record_type is 'Type of the record it is about.';
comment on column core.comment.record_id is 'The record it is about.';
comment on column core.comment.owner_id is
  'Whose private record it is about, and who alone sees it; null where records belong to the company.';
comment on column core.comment.body is 'What is said; @ana names a member.';
comment on column core.comment.mentions is 'The members it names, as they were found when it was written.';
comment on column core.comment.created_by is 'The member who said it; null: an operator.';
comment on column core.comment.author_name is 'Their name as it was then.';
comment on column core.comment.created_at is 'When it was said.';
comment on column core.comment.edited_at is 'When it was last changed; null: never.';
comment on column core.comment.deleted_at is 'Set: it was taken back.';

create table core.watcher (
  company_id  uuid        not null,
  record_type text        not null,
  record_id   uuid        not null,
  user_id     uuid        not null,
  is_watching boolean     not null default true,
  created_at  timestamptz not null default now(),
  primary key (company_id, record_type, record_id, user_id),
  foreign key (company_id, user_id) references core.membership (company_id, user_id)  -- keep
);

create index on core.watcher (company_id, user_id);

comment on table  core.watcher is
  'Who is told what happens to a record. Whoever made a record watches it without a row here.';
comment on column core.watcher.company_id is 'The company.';
comment on column core.watcher.record_type is 'Type of the record.';
comment on column core.watcher.record_id is 'The record.';
comment on column core.watcher.user_id is 'The member.';
comment on column core.watcher.is_watching is 'False: they asked to be told no more, though they made it or spoke.';
comment on column core.watcher.created_at is 'Since when.';

create table core.notification_preference (
  company_id uuid        not null,
  user_id    uuid        not null,
  topic      text        not null check (topic = '*' or topic ~ '^[a-z][a-z0-9_]*$'),
  delivery   text        not null check (delivery in ('inbox', 'off')),
  updated_at timestamptz not null default now(),
  primary key (company_id, user_id, topic),
  foreign key (company_id, user_id) references core.membership (company_id, user_id)  -- keep
);

comment on table  core.notification_preference is 'What a member wants to be told, and where.';
comment on column core.notification_preference.company_id is 'The company.';
comment on column core.notification_preference.user_id is 'The member.';
comment on column core.notification_preference.topic is
  'The template of a notice, or * for all that have no row of their own.';
comment on column core.notification_preference.delivery is 'inbox, or off: not at all.';
comment on column core.notification_preference.updated_at is 'When they said so.';

create table core.quota (
  company_id  uuid        not null references core.company (id),
  record_type text        not null,
  max_records bigint      not null check (max_records >= 0),
  updated_at  timestamptz not null default now(),
  primary key (company_id, record_type)
);

comment on table  core.quota is 'How many records a company may have; no row: as many as it likes.';
comment on column core.quota.company_id is 'The company.';
comment on column core.quota.record_type is 'Records of this type, or * for all types together.';
comment on column core.quota.max_records is 'So many at most, tombstones not counted.';
comment on column core.quota.updated_at is 'When an operator set it.';

select core.attach_tenant_table('core.comment');
select core.attach_tenant_table('core.watcher');
select core.attach_tenant_table('core.notification_preference');
select core.attach_tenant_table('core.quota');

create policy owner_private on core.comment as restrictive to fettle_app, fettle_worker, fettle_admin
  using (owner_id is null or owner_id = (select core.current_user_id()))
  with check (owner_id is null or owner_id = (select core.current_user_id()));

grant select, insert, update (body, mentions, edited_at, deleted_at) on core.comment to fettle_app, fettle_admin;
grant select on core.comment to fettle_worker;
grant select, insert, update (is_watching) on core.watcher to fettle_app, fettle_admin;
grant select on core.watcher to fettle_worker;
grant select, insert, update (delivery, updated_at) on core.notification_preference to fettle_app, fettle_admin;
grant select on core.notification_preference to fettle_worker;
-- Operators decide; who writes records only looks.
grant select on core.quota to fettle_app, fettle_worker, fettle_admin;
grant insert, update (max_records, updated_at), delete on core.quota to fettle_admin;
