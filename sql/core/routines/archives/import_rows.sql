-- Writes rows of an archive to a table of the company that this transaction imports, and returns their number. With p_later,
-- writes only the references to rows of the same table, which are left out before.
--
-- owner: fettle_eraser
-- execute: fettle_admin
create function core.import_rows(p_company uuid, p_place regclass, p_lines text[], p_later boolean) returns bigint
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
declare
  statement text;
  done bigint;
begin
  perform core.entered_import(p_company);
  -- The guard of records takes a record in a later status from an import.
  perform set_config('fettle.write', 'import', true);
  if p_later then
    select format(
      'update %1$s t set (%2$s) = row (%3$s) from unnest($1) l (line) '
      'cross join lateral jsonb_populate_record(null::%1$s, l.line::jsonb) r where %4$s',
      p_place,
      string_agg(format('%I', c.name), ', '),
      string_agg(format('r.%I', c.name), ', '),
      (
        select string_agg(format('t.%1$I = r.%1$I', b.attname), ' and ')
        from pg_index i
        join pg_attribute b on b.attrelid = i.indrelid and b.attnum = any (i.indkey::smallint[])
        where i.indrelid = p_place and i.indisprimary
      ))
    into statement
    from core.archive_tables(p_place) t
    cross join lateral unnest(t.later) c (name)
    where t.place = p_place and t.reason is null
    having count(*) > 0;
  else
    select format(
      'insert into %1$s (%2$s) select %3$s from unnest($1) with ordinality l (line, no) '
      'cross join lateral jsonb_populate_record(null::%1$s, l.line::jsonb) r order by l.no',
      p_place,
      string_agg(format('%I', a.attname), ', ' order by a.attnum),
      string_agg(
        case
          when a.attname = any (t.secrets) and a.atttypid = 'bytea'::regtype
            then 'sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))'
          when a.attname = any (t.secrets)
            then 'encode(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), ''hex'')'
          when a.atttypid = 'jsonb'::regtype
            then format('case when r.%1$I = ''{"$json": null}'' then ''null'' else r.%1$I end', a.attname)
          else format('r.%I', a.attname)
        end,
        ', ' order by a.attnum))
    into statement
    from core.archive_tables(p_place) t
    join pg_attribute a
      on a.attrelid = t.place
      and (a.attname = any (t.kept) or a.attname = any (t.secrets) and a.attnotnull)
      and a.attname <> all (t.later)
    where t.place = p_place and t.reason is null
    having count(*) > 0;
  end if;
  if statement is null then
    raise exception 'the rows of % are in no archive', p_place using errcode = 'insufficient_privilege';
  end if;
  execute statement using p_lines;
  get diagnostics done = row_count;
  return done;
end
$$;
