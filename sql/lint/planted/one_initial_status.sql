-- A workflow version without an initial status, in which no record can start.
insert into core.app (name, version, hash, manifest) values ('planted', 1, sha256('planted'), '{}');

insert into core.record_type
  (name, app, table_schema, table_name, view_schema, view_name, definition)
values ('planted.thing', 'planted', 'core', 'planted', 'core', 'planted', '{}');

insert into core.workflow_definition (record_type, version, body, sha256)
values ('planted.thing', 1, '{}', sha256('planted'));

insert into core.workflow_state (record_type, version, status, category, label)
values ('planted.thing', 1, 'open', 'open', 'Open');
