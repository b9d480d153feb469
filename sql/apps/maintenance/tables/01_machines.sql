-- Machines and the categories of work on them. The installer attaches row-level security, grants and the
-- guard to each table with a company_id.

create schema maintenance;

comment on schema maintenance is 'Schema of the maintenance app: machines and the work on them.';

grant usage on schema maintenance to fettle_app, fettle_worker, fettle_admin;

create table maintenance.base_category_template (
  name     text primary key check (btrim(name) <> ''),
  position integer not null default 0
);

comment on table maintenance.base_category_template is
  'Categories that are copied to each new company. Global; changed by operators only.';
comment on column maintenance.base_category_template.name is 'Name of the category.';
comment on column maintenance.base_category_template.position is 'Position in the order of copying.';

insert into maintenance.base_category_template (name, position)
values
  ('Hydraulics', 1),
  ('Paint system', 2),
  ('Spray guns', 3),
  ('Compressor', 4),
  ('Engine', 5),
  ('Electrical', 6),
  ('Tyres', 7),
  ('Glass-bead unit', 8);

grant select on maintenance.base_category_template to fettle_app, fettle_worker, fettle_admin;

create table maintenance.machine (
  like core.record_base including defaults including comments,
  code            text not null check (btrim(code) <> ''),
  code_key        text not null generated always as (lower(btrim(code))) stored,
  name            text not null check (btrim(name) <> ''),
  photo_id        uuid,
  status          text not null,
  status_category text not null check (status_category in ('open', 'active', 'done')),
  primary key (company_id, id),
  foreign key (company_id, created_by) references core.membership (company_id, user_id),  -- keep
  foreign key (company_id, photo_id) references core.attachment (company_id, id)          -- restrict
);

create unique index machine_code on maintenance.machine (company_id, code_key) where deleted_at is null;
create index on maintenance.machine (company_id, created_by);
create index on maintenance.machine (company_id, photo_id) where photo_id is not null;

comment on table  maintenance.machine is 'Machines that are maintained.';
comment on column maintenance.machine.code is
  'Code on the machine, such as RM-001; unique per company, ignoring case.';
comment on column maintenance.machine.code_key is 'Normalized code for comparison: trimmed, in lower case.';
comment on column maintenance.machine.name is 'Name of the machine.';
comment on column maintenance.machine.photo_id is 'Attachment with the photo shown in lists; null if none.';
comment on column maintenance.machine.status is
  'Status: active, out_of_service or retired; changed by transitions only.';
comment on column maintenance.machine.status_category is 'Category of the status: open, active or done.';

create table maintenance.category (
  like core.record_base including defaults including comments,
  name       text not null check (btrim(name) <> ''),
  name_key   text not null generated always as (lower(btrim(name))) stored,
  machine_id uuid,
  is_base    boolean not null generated always as (machine_id is null) stored,
  primary key (company_id, id),
  foreign key (company_id, created_by) references core.membership (company_id, user_id),  -- keep
  foreign key (company_id, machine_id) references maintenance.machine (company_id, id)    -- cascade
);

create unique index category_name on maintenance.category (company_id, machine_id, name_key)
  nulls not distinct where deleted_at is null;
create index on maintenance.category (company_id, machine_id);
create index on maintenance.category (company_id, created_by);

comment on table  maintenance.category is 'Categories of maintenance work.';
comment on column maintenance.category.name is 'Name of the category.';
comment on column maintenance.category.name_key is 'Normalized name for comparison: trimmed, in lower case.';
comment on column maintenance.category.machine_id is 'Machine that the category is limited to; null for all machines.';
comment on column maintenance.category.is_base is 'True if the category applies to all machines.';
