-- Removes a limit and the tokens leased under it; returns false if there is none.
--
-- owner: fettle_auth
-- execute: fettle_admin
create function core.unlimit_jobs(p_company uuid, p_queue text, p_kind text, p_each boolean) returns boolean
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
declare
  v_id uuid;
begin
  delete from core.job_limit l
  where l.company_id = p_company and l.queue is not distinct from p_queue and l.kind is not distinct from p_kind
    and l.each_company = p_each
  returning l.id into v_id;
  if not found then return false; end if;
  delete from core.job_token t where t.limit_id = v_id;
  delete from core.job_rate r where r.limit_id = v_id;
  perform core.notify_workers('rules');
  return true;
end
$$;
