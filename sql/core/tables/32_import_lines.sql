-- The lines of imported files, so that the same lines with other columns are not imported a second time.

alter table core.import add column lines bytea not null default '';

comment on column core.import.lines is
  'Numbers of 8 bytes of the lines that have made records: digests of whole lines, without their text.';
