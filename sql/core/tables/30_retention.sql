-- Retention: for how long a company keeps what, set by the operator. Without a row, everything is kept.

create table core.retention (
  company_id uuid        not null references core.company (id),
  subject    text        not null check (subject ~ '^(\*|[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)?)$'),
  days       integer     check (days between 1 and 36500),
  held_for   text        check (btrim(held_for) <> '' and length(held_for) <= 200),
  changed_by text        not null,
  changed_at timestamptz not null default now(),
  primary key (company_id, subject),
  check (subject <> '*' or days is null)
);

comment on table  core.retention is 'For how long a company keeps what, and legal holds, which keep it in spite of that.';
comment on column core.retention.company_id is 'The company.';
comment on column core.retention.subject is
  'What is removed: sign_ins, audit, notices, deliveries, or a record type, of which deleted and closed records are; * for all.';
comment on column core.retention.days is 'Days after which it is removed; null to keep it.';
comment on column core.retention.held_for is 'Reason of a legal hold, under which nothing is removed; null for none.';
comment on column core.retention.changed_by is 'Operator who changed the row last.';
comment on column core.retention.changed_at is 'Time of the last change.';

select core.attach_tenant_table('core.retention');
grant select, insert, update (days, held_for, changed_by, changed_at) on core.retention to fettle_admin;
grant select on core.retention to fettle_app, fettle_worker;

-- Removes what is older than that, at night.
insert into core.app_schedule (name, app, kind, cron)
values ('retention.apply', 'core', 'retention.apply', '20 4 * * *');
grant insert on core.sync_floor to fettle_eraser;
