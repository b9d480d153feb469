-- Which version of a workflow each company follows, and by what it has tightened it.

-- Whoever decides by a workflow remembers this number, and the feed is written only while it is still the same:
-- so no change that was decided under the version before can be committed after a company has moved on.
alter table core.company add column workflow_revision bigint not null default 0 check (workflow_revision >= 0);

comment on column core.company.workflow_revision is
  'Grows whenever the company follows another version of a workflow or tightens one otherwise; 0: neither yet.';

grant update (workflow_revision) on core.company to fettle_app, fettle_admin;

create function core.refuse_superseded() returns bigint
  language plpgsql volatile
as $$
begin
  raise exception 'the company has begun to follow another workflow since this was decided'
    using errcode = 'serialization_failure', hint = 'Decide again.';
end
$$;

comment on function core.refuse_superseded() is
  'Ends a transaction that was decided under a workflow which the company no longer follows; it is run again.';

revoke execute on function core.refuse_superseded() from public;
grant execute on function core.refuse_superseded() to fettle_app, fettle_worker, fettle_admin;

create table core.workflow_choice (
  company_id   uuid        not null,
  record_type  text        not null,
  version      integer     not null check (version > 0),
  next_version integer     check (next_version > version),
  updated_at   timestamptz not null default now(),
  primary key (company_id, record_type)
);

comment on table  core.workflow_choice is
  'The version of a workflow that a company follows; without a row, the first one that was installed.';
comment on column core.workflow_choice.company_id is 'The company.';
comment on column core.workflow_choice.record_type is 'The record type whose workflow it is.';
comment on column core.workflow_choice.version is 'The version its records follow.';
comment on column core.workflow_choice.next_version is
  'The version it is moving to: records in states that only that one has follow it already. Null: none.';
comment on column core.workflow_choice.updated_at is 'When this was last changed.';

create table core.workflow_overlay (
  company_id  uuid        not null,
  record_type text        not null,
  version     integer     not null check (version > 0),
  body        jsonb       not null check (jsonb_typeof(body) = 'object'),
  updated_at  timestamptz not null default now(),
  primary key (company_id, record_type, version)
);

comment on table  core.workflow_overlay is
  'What a company asks beyond a version of a workflow. It only tightens, and was checked against that version.';
comment on column core.workflow_overlay.company_id is 'The company.';
comment on column core.workflow_overlay.record_type is 'The record type whose workflow it tightens.';
comment on column core.workflow_overlay.version is 'The version it was checked against.';
comment on column core.workflow_overlay.body is 'The overlay as the engine reads it.';
comment on column core.workflow_overlay.updated_at is 'When it was last set.';

select core.attach_tenant_table('core.workflow_choice');
select core.attach_tenant_table('core.workflow_overlay');
grant select on core.workflow_choice, core.workflow_overlay to fettle_app, fettle_worker, fettle_admin;
grant insert, update (version, next_version, updated_at) on core.workflow_choice to fettle_app, fettle_admin;
grant insert, update (body, updated_at), delete on core.workflow_overlay to fettle_app, fettle_admin;

-- A record that an activation moved says so in its history.
alter table core.history drop constraint history_kind_check;
alter table core.history add constraint history_kind_check
  check (kind in ('create', 'edit', 'delete', 'restore', 'transition', 'import', 'migrate'));
