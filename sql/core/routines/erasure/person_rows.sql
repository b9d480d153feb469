-- Returns the rows of all tables that have one of a person's ids in a column, as JSON without secrets: what is kept about
-- her. Her devices, sessions and tokens are found by their own rows, and history by its actor.
--
-- execute: fettle_backup
create function core.person_rows(p_user uuid) returns table (place text, contents jsonb)
  language plpgsql stable
  set search_path = ''
as $$
declare
  target record;
begin
  for target in
    select c.oid::regclass as place,
      string_agg(
        format(case when a.atttypid = 'uuid'::regtype then 't.%I = $1' else '$1 = any (t.%I)' end, a.attname), ' or ')
        as condition,
      (
        select coalesce(array_agg(s.attname::text), '{}')
        from pg_catalog.pg_attribute s
        where s.attrelid = c.oid and s.attname ~ '(password|secret|hash|hmac|salt|digest|verifier)'
      ) as secrets
    from pg_catalog.pg_class c
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where n.nspowner = 'fettle_owner'::regrole
      and c.relkind in ('r', 'p')
      and not c.relispartition
      and a.atttypid in ('uuid'::regtype, 'uuid[]'::regtype)
      and c.oid <> 'core.erasure'::regclass
    group by c.oid
    order by c.oid::regclass::text
  loop
    return query execute format(
      'select %L::text, to_jsonb(t) - $2 from %s t where %s', target.place, target.place, target.condition)
    using p_user, target.secrets;
  end loop;
end
$$;
