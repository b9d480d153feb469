-- A column that says nothing about itself.
alter table core.worker add column planted text;
