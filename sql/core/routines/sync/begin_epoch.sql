-- Begins a new epoch of the data and returns it: after a restore from a backup, versions and positions of the feed
-- are used again for other changes. Tags and cursors of an earlier epoch are refused, and devices send again what the
-- database does not know.
--
-- owner: fettle_auth
-- execute: fettle_admin
create function core.begin_epoch() returns uuid
  language sql volatile security definer
  set search_path = core, pg_temp
as $$
  update core.installation set epoch = gen_random_uuid(), replaced = array[epoch], kept_until = null
  returning epoch
$$;
