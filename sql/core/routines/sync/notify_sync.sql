-- Tells serving processes that companies have changes for devices. Companies are named by eight bytes of a keyed hash.
--
-- Call it in a transaction of its own after the changes: NOTIFY takes one lock for the whole server until its commit.
-- At most 400 companies fit into a payload.
--
-- owner: fettle_auth
-- execute: fettle_app, fettle_worker, fettle_admin
create function core.notify_sync(p_companies uuid[]) returns void
  language sql volatile security definer
  set search_path = core, pg_temp
as $$
  select pg_catalog.pg_notify(
    c.name,
    (
      select string_agg(encode(substr(sha256(c.key || uuid_send(x.id)), 1, 8), 'hex'), ' ')
      from unnest(p_companies) x (id)
    ))
  from core.sync_channel c
$$;
