-- Returns the company that this transaction has entered; null if it has entered none.
--
-- STABLE, never IMMUTABLE: a cached plan would keep the company of an earlier transaction. nullif: after a
-- transaction that set the value locally, the setting reads '' instead of null for the rest of the session.
--
-- execute: fettle_app, fettle_worker, fettle_admin, fettle_auth, fettle_eraser
create function core.current_company() returns uuid
  language sql stable parallel safe
  return coalesce(nullif(current_setting('fettle.company_id', true), '')::uuid, core.no_company());
