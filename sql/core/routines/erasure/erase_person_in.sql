-- Erases a person in one company, in one transaction: deletes her private records and what is hers alone, empties the columns
-- that an app marks as personal, and puts the account without a name in her place, wherever her ids, her address or, in her
-- companies, her names occur. Returns the number of deleted and changed rows.
--
-- The tables and columns come from the catalogue. Entries of history lose their salt, and are covered as they are left. The
-- changed records move to the end of the feed, so that devices get them again.
--
-- owner: fettle_eraser
-- execute: fettle_admin
create function core.erase_person_in(p_erasure uuid, p_company uuid) returns bigint
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
declare
  request core.erasure%rowtype;
  person core.app_user%rowtype;
  former core.app_user%rowtype;
  is_named boolean;
  ids uuid[];
  patterns text[];
  replacements text[];
  pattern text;
  target record;
  touched uuid[];
  base bigint;
  done bigint;
  total bigint := 0;
begin
  select e.* into request
  from core.erasure e
  where e.id = p_erasure and e.kind = 'person' and e.started_at is not null and e.finished_at is null;
  if request.id is null then
    raise exception 'this erasure is not running' using errcode = 'insufficient_privilege';
  end if;
  perform pg_catalog.set_config('fettle.company_id', p_company::text, true);
  select u.* into person from core.app_user u where u.id = request.subject;
  select u.* into former from core.app_user u where u.id = request.replacement;
  is_named := p_company = '00000000-0000-7000-8000-000000000000' or exists (
    select from core.membership m
    where m.company_id = p_company and m.user_id in (request.subject, request.replacement)
  );

  ids := array[request.subject]
    || array(select d.id from core.device d where d.company_id = p_company and d.user_id = request.subject)
    || array(select s.id from core.session s where s.company_id = p_company and s.user_id = request.subject)
    || array(select t.id from core.api_token t where t.company_id = p_company and t.user_id = request.subject);
  select
    array_agg('(?<![[:alnum:]_])' || regexp_replace(n.needle, '([^[:alnum:][:space:]@])', '\\\1', 'g') || '(?![[:alnum:]_])'
      order by n.rank, length(n.needle) desc),
    array_agg(n.replacement order by n.rank, length(n.needle) desc)
  into patterns, replacements
  from (
    select 1 as rank, person.email as needle, former.email as replacement
    union select 1, person.email_key, former.email
    union select 2, i::text, request.replacement::text from unnest(ids) i
    union select 3, '@' || split_part(person.email, '@', 1), '@' || split_part(former.email, '@', 1) where is_named
    union select 4, person.name, former.name where is_named
    union select 4, f.name, former.name from core.former_name f where is_named and f.user_id = request.subject
  ) n;
  pattern := array_to_string(patterns, '|');

  -- Before rows of the feed go: their positions are not used again.
  select greatest(coalesce((select max(f.seq) from core.feed f where f.company_id = p_company), 0), g.floor) into base
  from core.sync_gate g
  where g.company_id = p_company
  for update of g;

  -- Private records, children first, with everything that is about them.
  for target in
    select t.place, r.name, t.depth
    from core.company_tables() t
    join core.record_type r on to_regclass(format('%I.%I', r.table_schema, r.table_name)) = t.place
    where r.owner_only
    order by t.depth, t.place
  loop
    execute format(
      'select array_agg(t.id) from %s t where t.company_id = $1 and t.created_by = $2', target.place)
    into touched using p_company, request.subject;
    continue when touched is null;
    total := total + core.erase_records(p_company, target.name, target.place, touched);
  end loop;

  -- What the engine keeps for her alone.
  delete from core.sync_item s using core.device d
  where s.company_id = p_company and d.company_id = p_company and d.id = s.device_id and d.user_id = request.subject;
  delete from core.record_link l where l.company_id = p_company and l.created_by = request.subject;
  for target in
    select t.place, a.attname as name
    from core.company_tables() t
    join pg_catalog.pg_class c on c.oid = t.place and c.relnamespace = 'core'::regnamespace
    join pg_catalog.pg_attribute a on a.attrelid = t.place and not a.attisdropped
    where a.attname in ('user_id', 'owner_id', 'giver_id', 'receiver_id')
      and t.place <> 'core.membership'::regclass
    order by t.depth, t.place
  loop
    execute format('delete from %s t where t.company_id = $1 and t.%I = $2', target.place, target.name)
    using p_company, request.subject;
    get diagnostics done = row_count;
    total := total + done;
  end loop;

  -- Marked columns, whatever they contain.
  for target in
    select t.place, p.key as name, p.value as member, a.attnotnull or p.key ~ '_name$' as stays
    from core.company_tables() t
    join (
      select to_regclass(format('%I.%I', r.table_schema, r.table_name)), r.definition -> 'personal'
      from core.record_type r
      union all
      select to_regclass(x ->> 'name'), x -> 'personal'
      from core.app a
      cross join lateral jsonb_array_elements(a.manifest -> 'tables') x
    ) d (place, personal) on d.place = t.place
    cross join lateral jsonb_each_text(coalesce(d.personal, '{}')) p
    join pg_catalog.pg_attribute a on a.attrelid = t.place and a.attname = p.key
  loop
    execute format(
      'update %s t set %I = %s where t.company_id = $1 and t.%I = $2',
      target.place, target.name, case when target.stays then '$3' else 'nullif($3, $3)' end, target.member)
    using p_company, request.subject, former.name;
  end loop;

  insert into core.membership (company_id, user_id, role, status, invited_by, created_at)
  select m.company_id, request.replacement, m.role, 'removed', m.invited_by, m.created_at
  from core.membership m
  where m.company_id = p_company and m.user_id = request.subject
  on conflict (company_id, user_id) do nothing;

  for target in
    select t.place, r.name as record_type, (
      select string_agg(
        case
          when a.atttypid = 'uuid'::regtype then format('%1$I = case when t.%1$I = any ($5) then $6 else t.%1$I end', a.attname)
          else format('%1$I = core.pseudonymised(t.%1$I::text, $3, $4)::%2$s', a.attname, format_type(a.atttypid, a.atttypmod))
        end,
        ', ')
      from pg_catalog.pg_attribute a
      where a.attrelid = t.place
        and a.attnum > 0
        and not a.attisdropped
        and a.attgenerated = ''
        and a.attname not in ('company_id', 'lane')
        and a.atttypid in (
          'text'::regtype, 'varchar'::regtype, 'jsonb'::regtype, 'json'::regtype, 'uuid'::regtype, 'uuid[]'::regtype,
          'text[]'::regtype)
    ) as columns
    from core.company_tables() t
    left join core.record_type r on to_regclass(format('%I.%I', r.table_schema, r.table_name)) = t.place
    where t.place not in ('core.history'::regclass, 'core.history_erasure'::regclass, 'core.membership'::regclass)
    order by t.place
  loop
    continue when target.columns is null;
    execute format(
      'with c as (update %s t set %s where t.company_id = $1 and t::text ~* $2 returning %s as id) '
      'select count(*), array_agg(c.id) from c',
      target.place, target.columns, case when target.record_type is null then 'null::uuid' else 't.id' end)
    into done, touched using p_company, pattern, patterns, replacements, ids, request.replacement;
    total := total + done;
    if target.record_type is not null and done > 0 then
      update core.feed f set seq = base + n.number, changed_at = now()
      from unnest(touched) with ordinality n (id, number)
      where f.company_id = p_company and f.record_type = target.record_type and f.record_id = n.id;
      base := base + done;
    end if;
  end loop;

  with changed as (
    update core.history h
    set actor_id = case when h.actor_id = any (ids) then request.replacement else h.actor_id end,
      on_behalf_of = case when h.on_behalf_of = any (ids) then request.replacement else h.on_behalf_of end,
      device_id = case when h.device_id = any (ids) then request.replacement else h.device_id end,
      actor_name = core.pseudonymised(h.actor_name, patterns, replacements),
      comment = core.pseudonymised(h.comment, patterns, replacements),
      changes = core.pseudonymised(h.changes::text, patterns, replacements)::jsonb,
      salt = ''
    where h.company_id = p_company and h::text ~* pattern
    returning h as entry
  )
  insert into core.history_erasure (company_id, record_type, record_id, seq, covers, reason)
  select (c.entry).company_id, (c.entry).record_type, (c.entry).record_id, (c.entry).seq, core.erasure_cover(c.entry),
    'erasure ' || p_erasure
  from changed c
  on conflict (company_id, record_type, record_id, seq) do update
  set covers = excluded.covers, reason = excluded.reason, erased_at = now();
  get diagnostics done = row_count;
  total := total + done;

  update core.sync_gate g set floor = base where g.company_id = p_company;
  update core.membership m set invited_by = request.replacement
  where m.company_id = p_company and m.invited_by = request.subject;
  delete from core.membership m where m.company_id = p_company and m.user_id = request.subject;
  update core.erasure e set erased = e.erased + total where e.id = p_erasure;
  return total;
end
$$;
