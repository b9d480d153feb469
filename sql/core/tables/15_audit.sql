-- The audit of changes to rights, members, settings and installations, and of denied attempts. Append-only: no role has
-- the right to update or delete.

create table core.audit (
  company_id   uuid        not null,
  id           uuid        not null default gen_random_uuid(),
  at           timestamptz not null default now(),
  actor_kind   text        not null
                           check (actor_kind in ('member', 'device', 'token', 'operator', 'system')),
  actor_id     uuid,
  actor_name   text        not null default '',
  on_behalf_of uuid,
  action       text        not null check (action ~ '^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$'),
  subject_type text        not null default '',
  subject_id   text        not null default '',
  detail       jsonb       not null default '{}' check (jsonb_typeof(detail) = 'object'),
  request_id   uuid,
  primary key (company_id, id)
);

create index on core.audit (company_id, at);
create index on core.audit (company_id, subject_type, subject_id, at);

comment on table  core.audit is
  'Changes of people, roles and settings, and denied attempts. Append-only; the system company has those of no company.';
comment on column core.audit.company_id is 'Company in which the change happened; the system company if none.';
comment on column core.audit.id is 'Key of the row.';
comment on column core.audit.at is 'Time of the change.';
comment on column core.audit.actor_kind is 'Kind of actor: member, device, token, operator or system.';
comment on column core.audit.actor_id is 'Id of the actor; null for an operator or the system.';
comment on column core.audit.actor_name is 'Name of the actor at that time.';
comment on column core.audit.on_behalf_of is 'Member on whose behalf another actor acted; null if none.';
comment on column core.audit.action is 'Action: noun.verb, such as member.added.';
comment on column core.audit.subject_type is 'Type of the changed subject: company, member, role, invite …';
comment on column core.audit.subject_id is 'Id or name of the changed subject.';
comment on column core.audit.detail is 'Details of the change, without secrets.';
comment on column core.audit.request_id is 'Id of the request that made the change; null if none.';

select core.attach_tenant_table('core.audit');
grant select, insert on core.audit to fettle_app, fettle_worker, fettle_admin;
