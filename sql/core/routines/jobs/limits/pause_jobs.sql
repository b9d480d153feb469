-- Pauses jobs of a company, queue and kind (null: every queue or kind); returns false if this pause exists
-- already.
--
-- owner: fettle_auth
-- execute: fettle_admin
create function core.pause_jobs(p_company uuid, p_queue text, p_kind text, p_reason text, p_by text) returns boolean
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
begin
  insert into core.job_pause (company_id, queue, kind, reason, paused_by)
  values (p_company, p_queue, p_kind, p_reason, p_by)
  on conflict (company_id, queue, kind) do nothing;
  if not found then return false; end if;
  perform core.notify_workers('rules');
  return true;
end
$$;
