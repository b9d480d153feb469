-- The audit of changes to rights, members, settings and installations. Append-only: updates and deletes are
-- not granted.

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
  'Who did what to people, roles and settings. Append-only; the system company has what concerns none.';
comment on column core.audit.company_id is 'The company it happened in.';
comment on column core.audit.id is 'Key of the row.';
comment on column core.audit.at is 'When.';
comment on column core.audit.actor_kind is 'What acted: member, device, token, operator or system.';
comment on column core.audit.actor_id is 'Which one; null for an operator or the system.';
comment on column core.audit.actor_name is 'The name as it was then.';
comment on column core.audit.on_behalf_of is 'The member in whose name it was done, if another did it.';
comment on column core.audit.action is 'noun.verb, such as member.suspend.';
comment on column core.audit.subject_type is 'What it was done to: company, member, role, invite …';
comment on column core.audit.subject_id is 'Which one.';
comment on column core.audit.detail is 'What changed, without secrets.';
comment on column core.audit.request_id is 'The request that it belongs to.';

select core.attach_tenant_table('core.audit');
grant select, insert on core.audit to fettle_app, fettle_worker, fettle_admin;
