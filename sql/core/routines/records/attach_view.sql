-- Grants the engine's roles read access to an app's view, and copies table comments to its uncommented
-- columns.
--
-- set: client_min_messages = warning
create function core.attach_view(target regclass) returns void
  language plpgsql
  set search_path = ''
as $$
declare
  uncommented record;
begin
  if not exists (
    select from pg_catalog.pg_class
    where oid = target and relkind = 'v' and 'security_invoker=true' = any (reloptions)
  ) then
    raise exception '% is not a view with security_invoker = true', target;
  end if;

  execute format(
    'grant usage on schema %I to fettle_app, fettle_worker, fettle_admin',
    (select relnamespace::regnamespace::text from pg_catalog.pg_class where oid = target));
  execute format('grant select on %s to fettle_app, fettle_worker, fettle_admin', target);

  -- A column gets the comment of the table column with the same name. If several tables have such a column,
  -- the table with more columns in the view wins.
  for uncommented in
    with source as (
      select d.refobjid as relation, d.refobjsubid as number, count(*) over (partition by d.refobjid) as read
      from pg_catalog.pg_rewrite w
      join pg_catalog.pg_depend d
        on d.classid = 'pg_catalog.pg_rewrite'::regclass and d.objid = w.oid
        and d.refclassid = 'pg_catalog.pg_class'::regclass and d.refobjid <> target and d.refobjsubid > 0
      where w.ev_class = target
    )
    select distinct on (v.attnum) v.attname as name, words.comment
    from pg_catalog.pg_attribute v
    join pg_catalog.pg_attribute t on t.attname = v.attname
    join source s on s.relation = t.attrelid and s.number = t.attnum
    cross join lateral pg_catalog.col_description(t.attrelid, t.attnum) as words (comment)
    where v.attrelid = target
      and v.attnum > 0
      and words.comment is not null
      and pg_catalog.col_description(v.attrelid, v.attnum) is null
    order by v.attnum, s.read desc, s.relation
  loop
    execute format('comment on column %s.%I is %L', target, uncommented.name, uncommented.comment);
  end loop;
end
$$;
