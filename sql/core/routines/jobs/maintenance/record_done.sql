-- Records jobs of an open claim as succeeded while its other jobs still run; returns false if the worker no
-- longer has the claim.
--
-- If the worker is lost later, the recorded jobs do not run again.
--
-- owner: fettle_auth
-- execute: fettle_worker
create function core.record_done(p_company uuid, p_lane uuid, p_no bigint, p_worker uuid, p_ids uuid[]) returns boolean
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
begin
  if not core.has_claim(p_company, p_lane, p_no, p_worker) then return false; end if;
  perform core.record_success(p_company, p_lane, p_no, p_worker, p_ids);
  return true;
end
$$;
