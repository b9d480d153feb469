-- Removes what the transaction's company keeps for longer than its retention says, unless a legal hold keeps it, and returns
-- the number of rows by subject. With p_dry, counts and changes nothing; rows of records only count the records.
--
-- Of a record type, records are removed that were deleted or closed, have not changed since, and to which no other record
-- refers. Devices that have one begin its type again.
--
-- owner: fettle_eraser
-- execute: fettle_worker, fettle_admin
create function core.apply_retention(p_dry boolean, p_limit integer) returns table (subject text, removed bigint)
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
declare
  company uuid := core.current_company();
  rule record;
  part record;
  ids uuid[];
  condition text;
  base bigint;
begin
  if exists (
    select from core.retention r where r.company_id = company and r.subject = '*' and r.held_for is not null
  ) then
    return;
  end if;
  for rule in
    select r.subject, now() - make_interval(days => r.days) as before
    from core.retention r
    where r.company_id = company and r.days is not null and r.held_for is null
    order by r.subject
  loop
    removed := 0;
    subject := rule.subject;
    for part in
      select *
      from (values
        ('sign_ins', 'core.session'::regclass, 'least(t.expires_at, t.revoked_at) < $2'),
        ('audit', 'core.audit', 't.at < $2'),
        ('notices', 'core.notification', 't.created_at < $2'),
        ('deliveries', 'core.webhook_delivery', 't.at < $2'),
        ('deliveries', 'core.mail_delivery', 't.sent_at < $2')
      ) p (name, place, condition)
      where p.name = rule.subject
    loop
      if p_dry then
        execute format('select count(*) from %s t where t.company_id = $1 and %s', part.place, part.condition)
        into base using company, rule.before;
      else
        execute format(
          'delete from %s where company_id = $1 and ctid = any (array('
          'select t.ctid from %s t where t.company_id = $1 and %s limit $3))',
          part.place, part.place, part.condition) using company, rule.before, p_limit;
        get diagnostics base = row_count;
      end if;
      removed := removed + base;
    end loop;

    for part in
      select t.place, r.name, r.owner_only, exists (
        select from pg_catalog.pg_attribute a
        where a.attrelid = t.place and a.attname = 'status_category' and not a.attisdropped) as has_status
      from core.record_type r
      join core.company_tables() t on t.place = to_regclass(format('%I.%I', r.table_schema, r.table_name))
      where r.name = rule.subject
    loop
      select coalesce(string_agg(
        format(
          ' and not exists (select from %s c where %s)', k.conrelid::regclass,
          (
            select string_agg(format('c.%I = t.%I', here.attname, there.attname), ' and ')
            from unnest(k.conkey, k.confkey) x (here, there)
            join pg_catalog.pg_attribute here on here.attrelid = k.conrelid and here.attnum = x.here
            join pg_catalog.pg_attribute there on there.attrelid = k.confrelid and there.attnum = x.there
          )),
        ''), '') into condition
      from pg_catalog.pg_constraint k
      join core.record_type r on to_regclass(format('%I.%I', r.table_schema, r.table_name)) = k.conrelid
      where k.contype = 'f' and k.confrelid = part.place;
      execute format(
        'select array_agg(x.id) from (select t.id from %s t where t.company_id = $1 and t.updated_at < $2 '
        'and (t.deleted_at is not null%s)%s limit $3) x',
        part.place, case when part.has_status then ' or t.status_category in (''done'', ''failed'')' else '' end, condition)
      into ids using company, rule.before, case when p_dry then null else p_limit end;
      continue when ids is null;
      removed := removed + cardinality(ids);
      continue when p_dry;
      -- Before rows of the feed go: their positions are not used again, and devices below the floor begin the scope again.
      select greatest(coalesce((select max(f.seq) from core.feed f where f.company_id = company), 0), g.floor) + 1 into base
      from core.sync_gate g
      where g.company_id = company
      for update of g;
      insert into core.sync_floor (company_id, scope, seq)
      select distinct company, f.scope, base
      from core.feed f
      where f.company_id = company and f.record_type = part.name and f.record_id = any (ids) and f.op = 'put'
      on conflict (company_id, scope) do update set seq = excluded.seq;
      update core.sync_gate g set floor = base where g.company_id = company;
      perform core.erase_records(company, part.name, part.place, ids);
    end loop;
    return next;
  end loop;
end
$$;
