-- Returns whether a worker still has a job of a claim of the transaction's company, and locks the claim until
-- the transaction ends.
--
-- Called in the transaction that writes the job's effects: this is the fence.
--
-- owner: fettle_auth
-- execute: fettle_worker
create function core.holds_claim(p_lane uuid, p_no bigint, p_worker uuid, p_id uuid, p_round integer) returns boolean
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
declare
  v_company constant uuid := core.current_company();
begin
  if not core.has_claim(v_company, p_lane, p_no, p_worker) then return false; end if;
  -- A separate statement, for the same reason.
  return not exists (
    select from core.job_queued n where n.company_id = v_company and n.id = p_id and n.round > p_round);
end
$$;
