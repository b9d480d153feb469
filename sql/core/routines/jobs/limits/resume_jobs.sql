-- Removes the pause of exactly this company, queue and kind; returns false if there is none.
--
-- owner: fettle_auth
-- execute: fettle_admin
create function core.resume_jobs(p_company uuid, p_queue text, p_kind text) returns boolean
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
begin
  delete from core.job_pause p
  where p.company_id = p_company and p.queue is not distinct from p_queue and p.kind is not distinct from p_kind;
  if not found then return false; end if;
  perform core.notify_workers('rules');
  return true;
end
$$;
