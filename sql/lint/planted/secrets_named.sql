-- A column whose name suggests a secret and which is not on the list.
alter table core.worker add column api_token text;
