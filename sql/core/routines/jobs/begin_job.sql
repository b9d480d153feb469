-- Records the start of a job that was claimed alone; returns false if the worker no longer has the claim.
--
-- owner: fettle_auth
-- execute: fettle_worker
create function core.begin_job(p_company uuid, p_lane uuid, p_no bigint, p_worker uuid, p_id uuid) returns boolean
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
begin
  if not core.has_claim(p_company, p_lane, p_no, p_worker) then return false; end if;
  insert into core.job_begin (company_id, id, no, lane) values (p_company, p_id, p_no, p_lane) on conflict do nothing;
  return true;
end
$$;
