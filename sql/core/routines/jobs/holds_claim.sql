-- Returns true if a worker still has a job of an unacknowledged claim in the transaction's company, and locks
-- the claim until the transaction ends.
--
-- The fence: called in the transaction that writes the job's effects.
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
  -- A separate statement sees rows that were committed while core.has_claim() waited for the lock.
  return not exists (
    select from core.job_queued n where n.company_id = v_company and n.id = p_id and n.round > p_round);
end
$$;
