-- Sharing: links to one record for people without an account, and grants by which a member lets another act on what is
-- private to them. Both give at most what the giver may do now.

create table core.record_link (
  company_id  uuid        not null,
  id          uuid        not null,
  record_type text        not null,
  record_id   uuid        not null,
  created_by  uuid        not null,
  secret_hash bytea       not null check (octet_length(secret_hash) = 32),
  created_at  timestamptz not null default now(),
  expires_at  timestamptz not null,
  revoked_at  timestamptz,
  primary key (company_id, id),
  unique (company_id, secret_hash),
  foreign key (company_id, created_by) references core.membership (company_id, user_id)  -- keep
);

create index on core.record_link (company_id, record_type, record_id);
create index on core.record_link (company_id, created_by);

comment on table  core.record_link is 'Links that show one record to people without an account.';
comment on column core.record_link.company_id is 'The company.';
comment on column core.record_link.id is 'Id of the link.';
comment on column core.record_link.record_type is 'Type of the record.';
comment on column core.record_link.record_id is 'Id of the record.';
comment on column core.record_link.created_by is 'Member who made the link; it shows what they may read.';
comment on column core.record_link.secret_hash is 'SHA-256 of the link''s text.';
comment on column core.record_link.created_at is 'Time of creation.';
comment on column core.record_link.expires_at is 'Time from which the link shows nothing.';
comment on column core.record_link.revoked_at is 'Time at which somebody ended the link; null if nobody has.';

select core.attach_tenant_table('core.record_link');
grant select, insert, update (revoked_at) on core.record_link to fettle_app, fettle_admin;

create table core.member_grant (
  company_id  uuid        not null,
  id          uuid        not null,
  giver_id    uuid        not null,
  receiver_id uuid        not null,
  scopes      text[]      not null check (cardinality(scopes) between 1 and 200),
  created_at  timestamptz not null default now(),
  expires_at  timestamptz,
  revoked_at  timestamptz,
  primary key (company_id, id),
  check (giver_id <> receiver_id),
  foreign key (company_id, giver_id) references core.membership (company_id, user_id),    -- keep
  foreign key (company_id, receiver_id) references core.membership (company_id, user_id)  -- keep
);

create index on core.member_grant (company_id, giver_id);
create index on core.member_grant (company_id, receiver_id);

comment on table  core.member_grant is 'Grants by which a member lets another see and set what is private to them.';
comment on column core.member_grant.company_id is 'The company.';
comment on column core.member_grant.id is 'Id of the grant.';
comment on column core.member_grant.giver_id is 'Member whose private records are concerned.';
comment on column core.member_grant.receiver_id is 'Member who may act on them.';
comment on column core.member_grant.scopes is 'Permissions; at most those that the giver has.';
comment on column core.member_grant.created_at is 'Time of the grant.';
comment on column core.member_grant.expires_at is 'Time from which the grant permits nothing; null for no end.';
comment on column core.member_grant.revoked_at is 'Time at which the giver took it back, or the receiver gave it up; null if it holds.';

select core.attach_tenant_table('core.member_grant');
create policy parties on core.member_grant as restrictive to fettle_app
  using ((select core.current_user_id()) in (giver_id, receiver_id))
  with check ((select core.current_user_id()) in (giver_id, receiver_id));
grant select, insert, update (revoked_at) on core.member_grant to fettle_app, fettle_admin;

-- Saved views: lists with their filters, and reports on the company's dashboard.

create table core.saved_view (
  company_id uuid        not null,
  id         uuid        not null,
  owner_id   uuid,
  kind       text        not null check (kind in ('list', 'report')),
  subject    text        not null check (length(subject) between 1 and 200),
  name       text        not null check (length(btrim(name)) between 1 and 100),
  query      text        not null default '' check (length(query) <= 2000),
  created_at timestamptz not null default now(),
  primary key (company_id, id),
  foreign key (company_id, owner_id) references core.membership (company_id, user_id)  -- keep
);

create index on core.saved_view (company_id, kind, subject);
create index on core.saved_view (company_id, owner_id);

comment on table  core.saved_view is 'Lists with filters that people have saved, and reports on the dashboard of the company.';
comment on column core.saved_view.company_id is 'The company.';
comment on column core.saved_view.id is 'Id of the view.';
comment on column core.saved_view.owner_id is 'Member who sees the view; null if everybody in the company does.';
comment on column core.saved_view.kind is 'list or report.';
comment on column core.saved_view.subject is 'Record type of a list, or name of a report.';
comment on column core.saved_view.name is 'What people call it.';
comment on column core.saved_view.query is 'Filters and order, as in an address.';
comment on column core.saved_view.created_at is 'Time of creation.';

select core.attach_tenant_table('core.saved_view');
create policy owner on core.saved_view as restrictive to fettle_app
  using (owner_id is null or owner_id = (select core.current_user_id()))
  with check (owner_id is null or owner_id = (select core.current_user_id()));
grant select, insert, delete on core.saved_view to fettle_app, fettle_admin;

-- A visitor's views follow the private records that they brought, in core.claim_records().
create policy auth on core.saved_view to fettle_auth
  using (company_id = (select core.current_company()))
  with check (company_id = (select core.current_company()));
grant select (company_id, owner_id), update (owner_id) on core.saved_view to fettle_auth;
