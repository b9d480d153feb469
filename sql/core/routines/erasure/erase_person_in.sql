-- Erases a person in one company, in one transaction: deletes her private records and what is hers alone, empties the columns
-- that an app marks as personal, and puts the account without a name in her place, wherever her ids or, in free text, her
-- address or, in her companies, her names occur. Returns the number of deleted and changed rows.
--
-- The tables and columns come from the catalogue; see core.person_columns() and core.name_pattern(). Names, addresses and
-- handles of other members stay, also if they contain hers. Entries of history lose their salt, and are covered as they are left. The
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
  everybody constant uuid := '00000000-0000-7000-8000-000000000000';
  is_named boolean;
  ids uuid[];
  id_patterns text[];
  new_ids text[];
  patterns text[];
  replacements text[];
  needles text[];
  others text[];
  loose text;
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
  is_named := p_company = everybody or exists (
    select from core.membership m
    where m.company_id = p_company and m.user_id in (request.subject, request.replacement)
  );

  ids := array[request.subject]
    || array(select d.id from core.device d where d.company_id = p_company and d.user_id = request.subject)
    || array(select s.id from core.session s where s.company_id = p_company and s.user_id = request.subject)
    || array(select t.id from core.api_token t where t.company_id = p_company and t.user_id = request.subject);
  -- Texts with different ids stay different, since keys are among them.
  select
    array_agg(core.name_pattern(i.id::text, 'sure') order by i.n),
    array_agg(
      (case when i.n = 1 then request.replacement else md5(request.replacement::text || i.id)::uuid end)::text order by i.n)
  into id_patterns, new_ids
  from unnest(ids) with ordinality i (id, n);
  -- An imported person may have her address among her former names.
  select array_agg(distinct n.text) into needles
  from (
    select person.name union all select f.name from core.former_name f where f.user_id = request.subject
    union all select person.email
  ) x (text)
  cross join lateral (
    select x.text where is_named or x.text ~ '@'
    union all select '@' || split_part(x.text, '@', 1) where is_named and x.text ~ '.@'
  ) n (text)
  where n.text ~ '[[:alnum:]].*[[:alnum:]]';
  others := array(
    select o
    from core.other_names(
      (select string_agg(core.name_pattern(n, 'likely'), '|') from unnest(needles) n), request.subject,
      nullif(p_company, everybody)) o);
  patterns := array(select core.name_pattern(o, 'likely') from unnest(others) o)
    || array(select core.name_pattern(n, 'sure') from unnest(needles) n) || id_patterns;
  replacements := array_fill(null::text, array[cardinality(others)])
    || array(
      select case
        when n ~ '^@' then '@' || split_part(former.email, '@', 1)
        when n ~ '@' then former.email
        else former.name
      end
      from unnest(needles) n)
    || new_ids;
  select string_agg(core.name_pattern(n, 'loose'), '|') into loose from unnest(needles || ids::text[]) n;

  -- Before rows of the feed go: their positions are not used again.
  select greatest(coalesce((select max(f.seq) from core.feed f where f.company_id = p_company), 0), g.floor) into base
  from core.sync_gate g
  where g.company_id = p_company
  for update of g;
  base := coalesce(base, 0);

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
    select t.place, p.name, p.member, a.attnotnull or p.name ~ '_name$' as stays
    from core.company_tables() t
    join core.personal_columns() p on p.place = t.place
    join pg_catalog.pg_attribute a on a.attrelid = t.place and a.attname = p.name
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
      select format(
        'update %s t set %s where t.company_id = $1 and normalize(t::text, nfc) ~ $2 '
        'and row (%s)::text is distinct from row (%s)::text returning %s as id',
        t.place, string_agg(format('%I = %s', c.name, c.changed), ', '), string_agg(format('t.%I', c.name), ', '),
        string_agg(c.changed, ', '), case when r.name is null then 'null::uuid' else 't.id' end)
      from core.person_columns(t.place, false) c
      having count(*) > 0
    ) as change
    from core.company_tables() t
    left join core.record_type r on to_regclass(format('%I.%I', r.table_schema, r.table_name)) = t.place
    where t.place not in ('core.history'::regclass, 'core.history_erasure'::regclass, 'core.membership'::regclass)
    order by t.place
  loop
    continue when target.change is null;
    execute format('with c as (%s) select count(*), array_agg(c.id) from c', target.change)
    into done, touched
    using p_company, loose, patterns, replacements, ids, request.replacement, former.name, id_patterns, new_ids;
    total := total + done;
    if target.record_type is not null and done > 0 then
      update core.feed f set seq = base + n.number, changed_at = now()
      from unnest(touched) with ordinality n (id, number)
      where f.company_id = p_company and f.record_type = target.record_type and f.record_id = n.id;
      base := base + done;
    end if;
  end loop;

  -- The columns of a type that stay, stay in its history.
  with
  kept as (
    select r.name, array_agg(c.name) as names
    from core.record_type r
    cross join lateral core.person_columns(to_regclass(format('%I.%I', r.table_schema, r.table_name)), false) c
    where not c.is_free
    group by r.name
  ),
  entry as (
    select h.record_type, h.record_id, h.seq,
      case when h.actor_id = any (ids) then request.replacement else h.actor_id end as actor_id,
      case when h.on_behalf_of = any (ids) then request.replacement else h.on_behalf_of end as on_behalf_of,
      case when h.device_id = any (ids) then request.replacement else h.device_id end as device_id,
      case
        when h.actor_id = request.subject and h.actor_name <> '' then former.name
        when h.actor_id is null or h.actor_id = any (ids) then
          core.pseudonymised(h.actor_name, patterns, replacements, null)
        else h.actor_name
      end as actor_name,
      core.pseudonymised(h.comment, patterns, replacements, null) as comment,
      core.pseudonymised_json(
        h.changes, patterns, replacements, id_patterns, new_ids,
        (select k.names from kept k where k.name = h.record_type)) as changes
    from core.history h
    where h.company_id = p_company and normalize(h::text, nfc) ~ loose
  ),
  changed as (
    update core.history h
    set actor_id = e.actor_id,
      on_behalf_of = e.on_behalf_of,
      device_id = e.device_id,
      actor_name = e.actor_name,
      comment = e.comment,
      changes = e.changes,
      salt = ''
    from entry e
    where h.company_id = p_company
      and h.record_type = e.record_type
      and h.record_id = e.record_id
      and h.seq = e.seq
      and (h.actor_id, h.on_behalf_of, h.device_id, h.actor_name, h.comment, h.changes)
        is distinct from (e.actor_id, e.on_behalf_of, e.device_id, e.actor_name, e.comment, e.changes)
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
