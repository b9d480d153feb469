-- Quotas of records, and entitlements of companies and members. Operators write them; the company reads its own.

create table core.quota (
  company_id  uuid        not null references core.company (id),
  record_type text        not null,
  max_records bigint      not null check (max_records >= 0),
  updated_at  timestamptz not null default now(),
  primary key (company_id, record_type)
);

comment on table  core.quota is 'Quotas: maximum numbers of records of companies. No row means no limit.';
comment on column core.quota.company_id is 'The company.';
comment on column core.quota.record_type is
  'Record type of the quota, * for all types together, or bytes for the bytes of files.';
comment on column core.quota.max_records is 'Maximum number of records, tombstones not counted; for bytes, the maximum number of stored bytes.';
comment on column core.quota.updated_at is 'Time of the last change by an operator.';

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

-- At most one unrevoked row per name and member (or company): granting again changes its dates.
create unique index entitlement_in_force on core.entitlement (company_id, name, user_id)
  nulls not distinct where revoked_at is null;
create index on core.entitlement (company_id, user_id) where user_id is not null;

comment on table  core.entitlement is
  'Entitlements of companies and members, such as pro. Records of a type that requires one cannot be '
  'written without it.';
comment on column core.entitlement.company_id is 'The company.';
comment on column core.entitlement.id is 'Id of the entitlement, chosen by the granting operator.';
comment on column core.entitlement.user_id is
  'Member who has the entitlement; null if all members of the company have it.';
comment on column core.entitlement.name is 'Name that a record type''s manifest requires, such as pro.';
comment on column core.entitlement.valid_from is 'Start of validity.';
comment on column core.entitlement.valid_until is 'End of validity, exclusive; null if unlimited.';
comment on column core.entitlement.granted_by is
  'Operator who granted the entitlement or last changed its dates.';
comment on column core.entitlement.granted_at is 'Time of the grant or of the last change of its dates.';
comment on column core.entitlement.revoked_by is 'Operator who revoked the entitlement; null if not revoked.';
comment on column core.entitlement.revoked_at is 'Time of revocation; null if not revoked.';

select core.attach_tenant_table('core.entitlement');
grant select on core.entitlement to fettle_app, fettle_worker;
grant select, insert, update (valid_from, valid_until, granted_by, granted_at, revoked_by, revoked_at)
  on core.entitlement to fettle_admin;
