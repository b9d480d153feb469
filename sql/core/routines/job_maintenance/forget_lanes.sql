-- Has the tally begin anew with lanes whose last claim is of this week or an earlier one, as it goes.
--
-- owner: fettle_auth
-- execute: fettle_owner
create function core.forget_lanes(p_week date) returns void
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
begin
  delete from core.job_tally t where t.claim_week <= p_week and t.posted = t.claimed and t.claim_no > 0;
  update core.job_tally t
  set claim_no = 0, claim_week = '-infinity', claim_xid = '0'
  where t.claim_week <= p_week and t.claim_no > 0;
end
$$;
