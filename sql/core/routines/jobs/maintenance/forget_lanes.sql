-- Deletes the counters of empty lanes whose last counted claim is of this week or an earlier one; other such
-- lanes forget that claim.
--
-- owner: fettle_auth
-- execute: fettle_owner
create function core.forget_lanes(p_week date) returns void
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
begin
  delete from core.job_count t where t.claim_week <= p_week and t.enqueued = t.claimed and t.claim_no > 0;
  update core.job_count t
  set claim_no = 0, claim_week = '-infinity', claim_xid = '0'
  where t.claim_week <= p_week and t.claim_no > 0;
end
$$;
