-- Returns the claims of a worker, from a batch number on, that were ended early.
--
-- owner: fettle_auth
-- execute: fettle_worker
create function core.lost_claims(p_worker uuid, p_oldest bigint)
  returns table (company_id uuid, lane uuid, no bigint)
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  select c.company_id, c.lane, c.no
  from core.job_claim c
  join core.job_ack s on s.company_id = c.company_id and s.lane = c.lane and s.no = c.no
  where c.worker_id = p_worker and c.batch >= p_oldest and s.outcome = 'lost'
$$;
