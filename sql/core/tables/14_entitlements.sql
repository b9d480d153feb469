-- Quotas of records, and entitlements of companies and members. Operators write; all members of the company
-- read.

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

select core.attach_tenant_table('core.quota');
grant select on core.quota to fettle_app, fettle_worker;
grant select, insert, update (max_records, updated_at), delete on core.quota to fettle_admin;

create table core.entitlement (
  company_id  uuid        not null references core.company (id),
  id          uuid        not null,
  user_id     uuid,
  name        text        not null check (name ~ '^[a-z][a-z0-9_]{0,62}$'),
  valid_from  timestamptz not null default now(),
  valid_until timestamptz,
  granted_by  text        not null check (btrim(granted_by) <> ''),
  granted_at  timestamptz not null default now(),
  revoked_by  text,
  revoked_at  timestamptz,
  primary key (company_id, id),
  foreign key (company_id, user_id) references core.membership (company_id, user_id),
  constraint entitlement_ends_later check (valid_until > valid_from),
  constraint entitlement_revoked_by_somebody check ((revoked_at is null) = (revoked_by is null))
);

-- One unrevoked row for each name and person: granting again changes its dates.
create unique index entitlement_in_force on core.entitlement (company_id, name, user_id)
  nulls not distinct where revoked_at is null;
create index on core.entitlement (company_id, user_id) where user_id is not null;

comment on table  core.entitlement is
  'What a company or one of its members is entitled to, such as pro. Writing records of types that ask for it '
  'is refused without; reading them never is.';
comment on column core.entitlement.company_id is 'The company.';
comment on column core.entitlement.id is 'Chosen by whoever granted it.';
comment on column core.entitlement.user_id is 'The only member it is for; null: all members of the company.';
comment on column core.entitlement.name is 'What a record type''s manifest asks for, such as pro.';
comment on column core.entitlement.valid_from is 'From when it holds.';
comment on column core.entitlement.valid_until is 'Until when, exclusive; null: without end.';
comment on column core.entitlement.granted_by is 'The operator who granted it, or last changed its dates.';
comment on column core.entitlement.granted_at is 'When that was.';
comment on column core.entitlement.revoked_by is 'The operator who took it back.';
comment on column core.entitlement.revoked_at is 'When it was taken back.';

select core.attach_tenant_table('core.entitlement');
grant select on core.entitlement to fettle_app, fettle_worker;
grant select, insert, update (valid_from, valid_until, granted_by, granted_at, revoked_by, revoked_at)
  on core.entitlement to fettle_admin;
