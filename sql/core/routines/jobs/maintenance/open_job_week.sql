-- Creates the partitions of the week that begins on the Monday p_week, unless they exist.
--
-- No role gets rights on a partition itself.
--
-- set: client_min_messages = warning
create function core.open_job_week(p_week date) returns void
  language plpgsql
  set search_path = ''
as $$
declare
  parent text;
  partition text;
begin
  foreach parent in array array['job_queued', 'job_claim', 'job_ack', 'job_attempt', 'job_note'] loop
    partition := format('%s_%s', parent, to_char(p_week, 'YYYYMMDD'));
    if to_regclass(format('core.%I', partition)) is null then
      execute format(
        'create table core.%I partition of core.%I for values from (%L) to (%L)',
        partition, parent, p_week, p_week + 7);
      execute format('alter table core.%I enable row level security', partition);
      execute format('alter table core.%I force row level security', partition);
    end if;
  end loop;
end
$$;
