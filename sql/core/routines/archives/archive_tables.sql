-- Returns the tables with rows of companies, in the order of core.company_tables(), and how an archive has them:
--   * kept: the columns in the archive; generated columns are computed again, and secrets are left out;
--   * secrets: what is left out; an import fills those that a record needs with random bytes, so that its link does not open;
--   * later: references to rows of the same table, which an import writes when all of its rows are there;
--   * ids: columns with ids of rows, which an import under new ids replaces;
--   * proof: true if the rows store the head of their history;
--   * reason: why the table as a whole is left out; null if it is not.
--
-- Read from the catalogue, so that a table which an app adds later is among them. A column is a secret if its comment says
-- so, or if its name suggests one, as the lint secrets_named defines it.
--
-- With p_only, reads only that table and those that its foreign keys lead to, which decide about it: a tenth of the time.
--
-- execute: fettle_admin, fettle_eraser, fettle_backup
create function core.archive_tables(p_only regclass default null) returns table (
  place regclass, depth integer, kept text[], secrets text[], later text[], ids text[], proof boolean, reason text)
  language sql stable
  set search_path = ''
as $$
  with recursive
  behind (oid) as (
    select p_only
    union
    select k.confrelid
    from behind b
    join pg_catalog.pg_constraint k on k.conrelid = b.oid and k.contype = 'f'
  ),
  here as (
    select t.place as oid, t.depth, exists (
      select from core.record_type r
      where pg_catalog.to_regclass(pg_catalog.format('%I.%I', r.table_schema, r.table_name)) = t.place
    ) as is_record
    from core.company_tables() t
    where p_only is null or t.place in (select b.oid from behind b)
  ),
  field as (
    select h.oid, h.is_record, a.attnum, a.attname::text as name, a.attnotnull as is_needed, a.atttypid as type,
      coalesce(pg_catalog.col_description(a.attrelid, a.attnum), '') ~ '^Secret'
      or a.atttypid in ('bytea'::regtype, 'text'::regtype)
        and a.attname ~ '(password|passwd|secret|token|hash|hmac|salt|pepper|private|credential)'
        and a.attname <> 'history_hash'
        -- The proofs of history are no secrets.
        and h.oid <> 'core.history'::regclass as is_secret
    from here h
    join pg_catalog.pg_attribute a on a.attrelid = h.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
  ),
  reference as (
    select k.conrelid as child, k.confrelid as parent, x.attnum, f.name, f.is_needed
    from pg_catalog.pg_constraint k
    join here h on h.oid = k.conrelid
    cross join lateral unnest(k.conkey) x (attnum)
    join field f on f.oid = k.conrelid and f.attnum = x.attnum and f.name <> 'company_id'
    where k.contype = 'f'
  ),
  gone (oid, reason) as (
    select h.oid, case
        when n.nspname = 'core' and starts_with(c.relname, 'job_') then 'jobs stay in the queue of the installation'
        when h.oid = 'core.device'::regclass then 'devices sign in again'
        when h.oid = 'core.upload'::regclass then 'uploads; what has arrived is among the files'
        when h.oid = 'core.report_login'::regclass then 'logins of this database'
        else 'its secrets cannot travel'
      end
    from here h
    join pg_catalog.pg_class c on c.oid = h.oid
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'core' and starts_with(c.relname, 'job_')
      or h.oid in ('core.device'::regclass, 'core.upload'::regclass, 'core.report_login'::regclass)
      or not h.is_record and exists (select from field f where f.oid = h.oid and f.is_secret and f.is_needed)
    union
    select r.child, 'it belongs to ' || r.parent::regclass
    from gone g
    join reference r on r.parent = g.oid and r.child <> g.oid
    where r.is_needed
  ),
  cut as (
    select r.child as oid, r.attnum
    from reference r
    join gone g on g.oid = r.parent
    where not r.is_needed
  )
  select h.oid,
    h.depth,
    (
      select array_agg(f.name order by f.attnum)
      from field f
      where f.oid = h.oid
        and not f.is_secret
        and not exists (select from cut c where c.oid = f.oid and c.attnum = f.attnum)
    ),
    coalesce(
      (
        select array_agg(f.name order by f.attnum)
        from field f
        where f.oid = h.oid and f.is_secret
      ), '{}'),
    coalesce(
      (
        select array_agg(distinct r.name)
        from reference r
        where r.child = h.oid and r.parent = h.oid and not r.is_needed
      ), '{}'),
    coalesce(
      (
        select array_agg(f.name order by f.attnum)
        from field f
        where f.oid = h.oid
          and f.type = 'uuid'::regtype
          and f.name <> 'company_id'
          and exists (
            select from pg_catalog.pg_index i
            where i.indrelid = h.oid and i.indisunique and f.attnum = any (i.indkey::smallint[])
          )
          -- People have accounts of their own.
          and not exists (
            select from pg_catalog.pg_constraint k
            where k.contype = 'f'
              and k.conrelid = h.oid
              and k.confrelid in ('core.membership'::regclass, 'core.app_user'::regclass)
              and f.attnum = any (k.conkey)
          )
      ), '{}'),
    exists (select from field f where f.oid = h.oid and f.name = 'history_hash'),
    (select min(g.reason) from gone g where g.oid = h.oid)
  from here h
  order by h.depth, h.oid::regclass::text
$$;
