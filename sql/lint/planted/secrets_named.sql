-- A secret that nobody declared.
alter table core.worker add column api_token text;
