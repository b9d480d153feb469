-- Returns true if a worker has an unacknowledged claim, and locks the claim until the transaction ends.
--
-- execute: fettle_auth
-- set: enable_seqscan = off, enable_bitmapscan = off
create function core.has_claim(p_company uuid, p_lane uuid, p_no bigint, p_worker uuid) returns boolean
  language plpgsql
  set search_path = core, pg_temp
as $$
declare
  v_worker uuid;
begin
  select c.worker_id into v_worker
  from core.job_claim c
  where (c.company_id, c.lane, c.no) >= (p_company, p_lane, p_no)
    and (c.company_id, c.lane, c.no) <= (p_company, p_lane, p_no)
  for key share;
  if v_worker is distinct from p_worker then return false; end if;
  -- A separate statement sees acknowledgements that were committed while the first one waited for the lock.
  return not exists (
    select from core.job_ack s where s.company_id = p_company and s.lane = p_lane and s.no = p_no);
end
$$;
