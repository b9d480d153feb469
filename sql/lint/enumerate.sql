-- The tables and columns that the isolation tests check, read from the catalogue so that none is missed. A query
-- is a line `-- query: name — result` and one SELECT.

-- query: tables_by_company — tables with a company_id that a role may read; true if it may read all companies
select
  r.rolname as role,
  c.oid::regclass::text as relation,
  coalesce(p.sees_all, false) as is_named_exception
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
join pg_attribute a on a.attrelid = c.oid and a.attname = 'company_id' and not a.attisdropped
cross join pg_roles r
left join lateral (
  select bool_or(pg_get_expr(q.polqual, q.polrelid) = 'true') as sees_all
  from pg_policy q
  where q.polrelid = c.oid
    and q.polcmd in ('r', '*')
    and r.oid = any (q.polroles)
) p on true
where n.nspowner = 'fettle_owner'::regrole
  and c.relkind in ('r', 'p')
  and r.rolname in ('fettle_app', 'fettle_worker', 'fettle_admin')
  and has_any_column_privilege(r.oid, c.oid, 'SELECT')
order by 1, 2;

-- query: secret_columns — columns that only fettle_auth may read
select a.attrelid::regclass::text as relation, a.attname as name
from pg_attribute a
where (a.attrelid::regclass::text, a.attname) in (
    values
      ('core.app_user', 'password_hash'),
      ('core.api_token', 'secret_hash'),
      ('core.invite_locator', 'code_hmac'),
      ('core.webhook', 'secret')
  )
order by 1, 2;

-- query: record_tables — tables created from the template of records, which must have the guard
select c.oid::regclass::text as relation
from pg_class c
join pg_attribute a on a.attrelid = c.oid and a.attname = 'history_hash' and not a.attisdropped
where c.relkind in ('r', 'p')
  and c.oid <> 'core.record_base'::regclass
order by 1;
