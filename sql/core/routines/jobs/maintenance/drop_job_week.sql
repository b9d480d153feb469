-- Drops a week's queued rows once all are done and older than p_keep, and its claims once no remaining row
-- needs them; returns the reason if it cannot, else null.
--
-- execute: fettle_worker, fettle_admin
-- set: client_min_messages = warning
create function core.drop_job_week(p_week date, p_keep interval) returns text
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
declare
  seen pg_snapshot;
  reason text;
  oldest date;
  parent text;
  part text;
begin
  if p_keep < interval '1 day' or p_week + 7 + p_keep > now() then return 'it is not old enough'; end if;
  perform set_config('lock_timeout', '50ms', true);
  part := format('job_queued_%s', to_char(p_week, 'YYYYMMDD'));
  if to_regclass(format('core.%I', part)) is not null then
    perform core.count_jobs('0 seconds');
    seen := pg_current_snapshot();
    reason := core.week_in_use(p_week);
    if reason is not null then return reason; end if;
    begin
      execute format('lock table core.job_queued, core.%I in access exclusive mode', part);
    exception when lock_not_available then
      return 'it is in use';
    end;
    if core.has_rows_since(p_week, seen) then return 'rows were added meanwhile'; end if;
    execute format('drop table core.%I', part);
  end if;
  -- A claim can contain queued rows of the week after its own.
  select min(w.week) into oldest from core.job_weeks() w where w.queued;
  if p_week + 7 >= oldest then return null; end if;
  foreach parent in array array['job_claim', 'job_ack', 'job_attempt', 'job_note'] loop
    part := format('%s_%s', parent, to_char(p_week, 'YYYYMMDD'));
    continue when to_regclass(format('core.%I', part)) is null;
    begin
      execute format('lock table core.%I, core.%I in access exclusive mode', parent, part);
    exception when lock_not_available then
      return 'its claims are in use';
    end;
    execute format('drop table core.%I', part);
  end loop;
  perform core.forget_lanes(p_week);
  return null;
end
$$;
