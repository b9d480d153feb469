-- Announces a promotion of a standby, or an upgrade of the server, that loses no change: for an hour, another server or
-- timeline does not begin a new epoch. A lower position in the log still does. Returns the end of the hour.
--
-- owner: fettle_auth
-- execute: fettle_admin
create function core.keep_epoch() returns timestamptz
  language sql volatile security definer
  set search_path = core, pg_temp
as $$
  update core.installation set kept_until = now() + interval '1 hour' returning kept_until
$$;
