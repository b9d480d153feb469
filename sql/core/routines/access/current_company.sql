-- Returns the company of this transaction; null outside one.
--
-- STABLE, never IMMUTABLE: a cached plan would keep the company of an earlier transaction. The nullif is
-- needed because the setting is '' and not null after a transaction that set it locally.
--
-- execute: fettle_app, fettle_worker, fettle_admin, fettle_auth
create function core.current_company() returns uuid
  language sql stable parallel safe
  return nullif(current_setting('fettle.company_id', true), '')::uuid;
