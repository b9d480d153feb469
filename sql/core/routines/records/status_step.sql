-- Returns the text of a status change, '|from>to:category|', as the guard's cache of allowed changes holds it;
-- the status of a new record has no status before.
--
-- Every name is quoted as an SQL identifier, so that a name with a separator differs from all allowed changes.
-- The cache is written and searched with this function only.
--
-- execute: fettle_app, fettle_worker, fettle_admin, fettle_auth, fettle_eraser
create function core.status_step(p_from text, p_to text, p_category text) returns text
  language sql immutable parallel safe
  return '|' || coalesce(pg_catalog.quote_ident(p_from), '') || '>' || pg_catalog.quote_ident(p_to) || ':'
    || pg_catalog.quote_ident(p_category) || '|';
