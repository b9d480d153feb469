-- Returns where the data are: the installation, its epoch and the epochs that this replaced, whether a promotion was
-- announced, the server's identifier, timeline and position in its log, the database's number on that server, and whether
-- commits wait for a standby. Returns no row on a standby.
--
-- The name of a log file begins with the timeline in eight hexadecimal digits. The control file would name the timeline of
-- the last checkpoint, which may be before a promotion.
--
-- owner: fettle_auth
-- execute: fettle_app, fettle_worker, fettle_admin
create function core.data_standing()
  returns table (
    installation uuid, epoch uuid, replaced uuid[], is_kept boolean, system text, timeline bigint, log_position bigint,
    database bigint, is_synchronous boolean)
  language sql volatile security definer
  set search_path = core, pg_temp
as $$
  select i.id, i.epoch, i.replaced, coalesce(i.kept_until > now(), false), c.system_identifier::text,
    ('x' || left(pg_walfile_name(p.lsn), 8))::bit(32)::bigint, (p.lsn - '0/0'::pg_lsn)::bigint,
    (select d.oid::bigint from pg_database d where d.datname = current_database()),
    current_setting('synchronous_standby_names') <> ''
      and current_setting('synchronous_commit') in ('on', 'remote_apply')
  from core.installation i
  cross join pg_control_system() c
  cross join lateral (select pg_current_wal_lsn() as lsn where not pg_is_in_recovery()) p
$$;
