-- Counts the rows in which a person's ids, addresses, handles and names are left, by table and company, and names some of them.
-- Names and handles are searched in her companies and in what belongs to no company, as core.person_columns() has it; other
-- people's names, addresses and handles do not count. Tables that no login may write hold no data of people.
--
-- execute: fettle_backup
create function core.person_census(p_user uuid, p_texts text[], p_companies uuid[], p_samples integer)
  returns table (place text, company text, remaining bigint, samples text[])
  language plpgsql stable
  set search_path = ''
as $$
declare
  -- Ids and addresses count everywhere, in every column.
  certain constant text := '.@|^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$';
  everybody constant uuid := '00000000-0000-7000-8000-000000000000';
  scope record;
  target record;
  needles text[];
  others text[];
  patterns text[];
  blanks text[];
  ids text[];
  loose text;
begin
  for scope in
    select array[c.id] as companies, c.slug, c.id as company, true as is_named, true as is_tenant
    from core.company c
    where c.id = any (p_companies || everybody)
    union all
    select array(select c.id from core.company c where c.id <> all (p_companies || everybody)), null, null, false, true
    union all
    select null, null, null, true, false
  loop
    needles := array(
      select distinct t from unnest(p_texts) t
      where t ~ '[[:alnum:]].*[[:alnum:]]' and (scope.is_named or t ~ certain));
    continue when needles = '{}';
    others := array(
      select core.name_pattern(o, 'likely')
      from core.other_names(
        (select string_agg(core.name_pattern(n, 'likely'), '|') from unnest(needles) n), p_user,
        nullif(scope.company, everybody)) o);
    patterns := others || array(select core.name_pattern(n, 'likely') from unnest(needles) n);
    blanks := array_fill(null::text, array[cardinality(others)]) || array_fill('*'::text, array[cardinality(needles)]);
    ids := others || array(select core.name_pattern(n, 'likely') from unnest(needles) n where n ~ certain);
    loose := (select string_agg(core.name_pattern(n, 'loose'), '|') from unnest(needles) n);
    for target in
      select c.oid::regclass as place, x.condition, (
        select case
          when r.name is not null then format('%L || t.id', r.name || ' ')
          when bool_or(a.attname = 'record_id') then 't.record_type || '' '' || t.record_id'
          when bool_or(a.attname = 'id') then 't.id::text'
          when bool_or(a.attname = 'user_id') then '''member '' || t.user_id'
        end
        from pg_catalog.pg_attribute a
        where a.attrelid = c.oid and a.attname in ('record_id', 'id', 'user_id') and not a.attisdropped
      ) as sample
      from pg_catalog.pg_class c
      join pg_catalog.pg_namespace n on n.oid = c.relnamespace
      left join core.company_tables() k on k.place = c.oid
      left join core.record_type r on to_regclass(format('%I.%I', r.table_schema, r.table_name)) = c.oid
      cross join lateral (
        select format(
          ' or row (%s)::text is distinct from row (%s)::text', string_agg(format('t.%I', p.name), ', '),
          string_agg(p.changed, ', ')) as condition
        from core.person_columns(c.oid, true) p
      ) x
      where n.nspowner = 'fettle_owner'::regrole
        and c.relkind in ('r', 'p')
        and not c.relispartition
        and c.oid <> 'core.erasure'::regclass
        and (k.place is not null) = scope.is_tenant
        and (
          k.place is not null
          or exists (
            select from unnest(array['fettle_app', 'fettle_worker', 'fettle_admin', 'fettle_auth']) l (login)
            where has_any_column_privilege(l.login, c.oid, 'insert, update'))
        )
      order by c.oid::regclass::text
    loop
      execute format(
        'select count(*), array_remove(coalesce((array_agg(%s order by t.ctid))[:$10], ''{}''), null) from %s t '
        'cross join lateral regexp_replace(normalize(t::text, nfc), ''\\+[nrt]'', '' '', ''g'') x (text) '
        'where normalize(t::text, nfc) ~ $2 and (core.pseudonymised(x.text, $8, $9, null) <> x.text%s)%s',
        coalesce(target.sample, 'null::text'), target.place, case when scope.is_named then target.condition end,
        case when scope.is_tenant then ' and t.company_id = any ($1)' end)
      into remaining, samples
      using scope.companies, loose, patterns, blanks, array[p_user], p_user, '*'::text, ids, blanks, p_samples;
      continue when remaining = 0;
      place := target.place;
      company := scope.slug;
      return next;
    end loop;
  end loop;
end
$$;
