-- Returns the member who acts in this transaction; null if no member does.
--
-- execute: fettle_app, fettle_worker, fettle_admin, fettle_auth
create function core.current_user_id() returns uuid
  language sql stable parallel safe
  return nullif(current_setting('fettle.user_id', true), '')::uuid;
