-- A record type whose table does not have the guard.
insert into core.app (name, version, hash, manifest) values ('planted', 1, sha256('planted'), '{}');

create table core.planted (
  like core.record_base including defaults,
  primary key (company_id, id)
);

insert into core.record_type
  (name, app, table_schema, table_name, view_schema, view_name, definition)
values ('planted.thing', 'planted', 'core', 'planted', 'core', 'planted', '{}');
