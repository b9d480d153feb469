-- Creates the missing partitions of the previous, this and the next week and moves their rows out of the
-- default partitions; returns the number of weeks opened.
--
-- execute: fettle_worker, fettle_admin
-- set: client_min_messages = warning
create function core.keep_job_weeks() returns integer
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
declare
  v_week date;
  parent text;
  rest text;
  part text;
  opened integer := 0;
begin
  perform set_config('lock_timeout', '200ms', true);
  for v_week in
    select (date_trunc('week', now()) + n * interval '1 week')::date from generate_series(-1, 1) n
  loop
    continue when to_regclass(format('core.job_queued_%s', to_char(v_week, 'YYYYMMDD'))) is not null;
    foreach parent in array array['job_queued', 'job_claim', 'job_ack', 'job_attempt', 'job_note'] loop
      rest := format('%s_rest', parent);
      part := format('%s_%s', parent, to_char(v_week, 'YYYYMMDD'));
      continue when to_regclass(format('core.%I', rest)) is null or to_regclass(format('core.%I', part)) is not null;
      -- Rows that were written before the week was opened are in the default partition: move them.
      execute format('lock table core.%I in access exclusive mode', parent);
      execute format('create table core.%I (like core.%I including defaults including constraints)', part, parent);
      execute format('alter table core.%I no force row level security', rest);
      execute format(
        'with moved as (delete from core.%I where week >= %L and week < %L returning *) '
        'insert into core.%I select * from moved', rest, v_week, v_week + 7, part);
      execute format('alter table core.%I force row level security', rest);
      execute format(
        'alter table core.%I attach partition core.%I for values from (%L) to (%L)', parent, part, v_week, v_week + 7);
      execute format('alter table core.%I enable row level security', part);
      execute format('alter table core.%I force row level security', part);
    end loop;
    opened := opened + 1;
  end loop;
  return opened;
end
$$;
