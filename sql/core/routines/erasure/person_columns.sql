-- Returns the columns of a table that may contain a person's name, address or id, each with the expression of what an erasure
-- leaves in it. Free text gets another name. Keys, and values that the engine or a constraint chooses, get other ids alone, so
-- that no constraint can refuse the change. A name beside the id of a member is that of the member.
--
-- With p_keys, returns free text and keys only, all of them as if they were free: for the search.
--
-- Parameters of the expressions, which are about a row t: $3 patterns, $4 replacements, $5 ids of the person, hers first, $6 id
-- and $7 name of the former member, $8 patterns of ids, $9 their replacements.
--
-- execute: fettle_eraser, fettle_backup
create function core.person_columns(p_place regclass, p_keys boolean)
  returns table (name text, is_free boolean, changed text)
  language sql stable
  set search_path = ''
as $$
  with
  rule as (
    select k.conkey, pg_catalog.pg_get_constraintdef(k.oid) as body
    from pg_catalog.pg_constraint k
    where k.conrelid = p_place and k.contype = 'c'
  ),
  here as (
    select
      a.attname::text as name,
      a.atttypid as type,
      format_type(a.atttypid, a.atttypmod) as type_name,
      coalesce(
        least(
          case when a.atttypmod > 4 then a.atttypmod - 4 end,
          (
            select min(m[1]::integer) - 1
            from rule r
            cross join lateral regexp_matches(r.body, format('length\([^<]*\m%s\M[^<]*<=? (\d+)', a.attname)) m
            where a.attnum = any (r.conkey)
          ))::text,
        'null') as room,
      (
        select p.member
        from (
          select c.place, c.name, c.member from core.personal_columns() c where c.name ~ '_name$'
          union all
          select p_place, x.name, x.member
          from (values ('actor_name', 'actor_id'), ('author_name', 'created_by')) x (name, member)
        ) p
        join pg_catalog.pg_attribute m on m.attrelid = p_place and m.attname = p.member
        where p.place = p_place and p.name = a.attname
        limit 1
      ) as member,
      case
        when a.atttypid in ('uuid'::regtype, 'uuid[]'::regtype) then 'id'
        when p_place in ('core.role'::regclass, 'core.workflow_overlay'::regclass) then 'fixed'
        when a.atttypid in ('jsonb'::regtype, 'json'::regtype) then 'free'
        when exists (
          select from rule r
          where r.body ~ format(
            '\m%s\M\)*(::text)? (=|<>|!?~\*?|!?~~\*?) (ANY \(|ALL \()*\(*(ARRAY\[)*\(*''[^'']', a.attname)
        ) or core.is_engine_name(a.attname) then 'fixed'
        when a.attname in ('code', 'url', 'endpoint') or exists (
          select from pg_catalog.pg_index i
          where i.indrelid = p_place
            and i.indisunique
            and (
              a.attnum = any (i.indkey)
              or exists (
                select from pg_catalog.pg_depend d
                where d.classid = 'pg_catalog.pg_class'::regclass and d.objid = i.indexrelid
                  and d.refclassid = 'pg_catalog.pg_class'::regclass and d.refobjid = p_place and d.refobjsubid = a.attnum)
            )
        ) then 'key'
        else 'free'
      end as class
    from pg_catalog.pg_attribute a
    where a.attrelid = p_place
      and a.attnum > 0
      and not a.attisdropped
      and a.attgenerated = ''
      and a.attname not in ('company_id', 'lane')
      and a.atttypid in (
        'text'::regtype, 'varchar'::regtype, 'jsonb'::regtype, 'json'::regtype, 'uuid'::regtype, 'uuid[]'::regtype,
        'text[]'::regtype)
      and not exists (
        select from pg_catalog.pg_constraint k
        where k.conrelid = p_place and k.contype = 'f' and a.attnum = any (k.conkey) and a.atttypid <> 'uuid'::regtype)
  )
  select h.name, h.class = 'free',
    case
      when h.type = 'uuid'::regtype then format('case when t.%1$I = any ($5) then $6 else t.%1$I end', h.name)
      when h.class <> 'free' and not p_keys or h.class = 'id' then
        format('core.pseudonymised(t.%I::text, $8, $9, null)::%s', h.name, h.type_name)
      when h.type in ('jsonb'::regtype, 'json'::regtype) then
        format('core.pseudonymised_json(t.%I::jsonb, $3, $4, $8, $9, ''{}'')::%s', h.name, h.type_name)
      when h.type = 'text[]'::regtype then
        format(
          'case when t.%1$I is not null then array('
          'select core.pseudonymised(x.text, $3, $4, null) from unnest(t.%1$I) with ordinality x (text, n) order by x.n) end',
          h.name)
      when h.member is not null then
        format(
          'case when t.%2$I = $5[1] and t.%1$I <> '''' then $7 when t.%2$I is null or t.%2$I = any ($5) then '
          'core.pseudonymised(t.%1$I::text, $3, $4, %3$s) else t.%1$I end::%4$s',
          h.name, h.member, h.room, h.type_name)
      else format('core.pseudonymised(t.%I::text, $3, $4, %s)::%s', h.name, h.room, h.type_name)
    end
  from here h
  where not p_keys or h.class in ('free', 'key')
$$;
