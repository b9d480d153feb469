-- Numbers that the engine gives to records, such as WO-1007.

create table core.number_series (
  company_id  uuid        not null references core.company (id),
  record_type text        not null,
  format      text        check (format ~ '^[A-Z]([A-Z0-9._/-]*[A-Z._/-])?[{]n[}]$' and length(format) <= 19),
  reserved    bigint      not null default 0 check (reserved >= 0),
  updated_at  timestamptz not null default now(),
  primary key (company_id, record_type)
);

comment on table  core.number_series is
  'Numbers of a company''s records that differ from what the manifest declares, and blocks that were reserved.';
comment on column core.number_series.company_id is 'The company.';
comment on column core.number_series.record_type is 'The type whose records are numbered.';
comment on column core.number_series.format is 'How numbers read, such as WO-{n}; null: as the manifest says.';
comment on column core.number_series.reserved is 'New numbers are above this counter; imports reserve blocks.';
comment on column core.number_series.updated_at is 'When it was last changed.';

select core.attach_tenant_table('core.number_series');
grant select, insert, update (format, reserved, updated_at)
  on core.number_series to fettle_app, fettle_worker, fettle_admin;
