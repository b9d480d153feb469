-- A secret column that is not declared.
alter table core.worker add column api_token text;
