-- Writes down which jobs of an open claim are done while others of it go on; false: it is open no more.
--
-- So that a death later on does not have them done again.
--
-- owner: fettle_auth
-- execute: fettle_worker
create function core.write_down_done(p_company uuid, p_lane uuid, p_no bigint, p_worker uuid, p_ids uuid[]) returns boolean
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
begin
  if not core.has_claim(p_company, p_lane, p_no, p_worker) then return false; end if;
  perform core.write_down(p_company, p_lane, p_no, p_worker, p_ids);
  return true;
end
$$;
