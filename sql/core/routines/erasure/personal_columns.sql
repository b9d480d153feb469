-- Returns the columns that apps mark as personal, each with the column of the member whom it is about.
--
-- execute: fettle_eraser, fettle_backup
create function core.personal_columns() returns table (place regclass, name text, member text)
  language sql stable
  set search_path = ''
as $$
  select d.place, p.key, p.value
  from (
    select to_regclass(format('%I.%I', r.table_schema, r.table_name)), r.definition -> 'personal'
    from core.record_type r
    union all
    select to_regclass(x ->> 'name'), x -> 'personal'
    from core.app a
    cross join lateral jsonb_array_elements(a.manifest -> 'tables') x
  ) d (place, personal)
  cross join lateral jsonb_each_text(coalesce(d.personal, '{}')) p
$$;
