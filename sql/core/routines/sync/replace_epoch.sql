-- Begins a new epoch in place of the given one and returns it; returns the present epoch if another process has
-- replaced that. p_lost is the epoch that the caller remembers from before the restore, so that other processes that
-- remember it do not begin one more.
--
-- owner: fettle_auth
-- execute: fettle_app, fettle_worker, fettle_admin
create function core.replace_epoch(p_current uuid, p_lost uuid) returns uuid
  language sql volatile security definer
  set search_path = core, pg_temp
as $$
  update core.installation
  set epoch = case when epoch = p_current then gen_random_uuid() else epoch end,
    replaced = case when epoch = p_current then array[p_current, p_lost] else replaced end,
    kept_until = case when epoch = p_current then null else kept_until end
  returning epoch
$$;
