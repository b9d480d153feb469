-- Records which jobs of an open claim are done while others of it go on; false if it is no longer open.
--
-- If the worker dies later, they do not run again.
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
