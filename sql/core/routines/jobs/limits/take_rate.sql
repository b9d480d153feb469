-- Takes up to p_wanted tokens of a rate, one per start of a job; returns the number taken and the seconds
-- until the next token.
--
-- A negative p_wanted returns tokens. If the limit has no rate or does not apply, all wanted tokens are
-- granted.
--
-- owner: fettle_auth
-- execute: fettle_worker
create function core.take_rate(p_limit uuid, p_company uuid, p_wanted integer)
  returns table (granted integer, retry_after double precision)
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
declare
  rule core.job_limit;
  share uuid;
  bucket core.job_rate;
  per_second double precision;
  v_now timestamptz;
  v_granted integer;
begin
  select l.* into rule
  from core.job_limit l
  where l.company_id in (p_company, '00000000-0000-7000-8000-000000000000') and l.id = p_limit;
  share := core.limit_share(rule, p_company);
  if share is null or rule.rate_count is null then
    return query select p_wanted, 0::double precision;
    return;
  end if;
  insert into core.job_rate (company_id, limit_id, ready, at)
  values (share, p_limit, rule.rate_count, clock_timestamp())
  on conflict (company_id, limit_id) do nothing;
  select r.* into bucket from core.job_rate r where r.company_id = share and r.limit_id = p_limit for update;
  per_second := rule.rate_count / extract(epoch from rule.rate_period)::double precision;
  -- A clock that was set back neither adds nor removes tokens.
  v_now := greatest(clock_timestamp(), bucket.at);
  bucket.ready := least(
    rule.rate_count, bucket.ready + extract(epoch from v_now - bucket.at)::double precision * per_second);
  v_granted := least(p_wanted, floor(bucket.ready)::integer);
  bucket.ready := least(rule.rate_count, bucket.ready - v_granted);
  update core.job_rate r set ready = bucket.ready, at = v_now
  where r.company_id = share and r.limit_id = p_limit;
  return query select v_granted, case when bucket.ready >= 1 then 0 else (1 - bucket.ready) / per_second end;
end
$$;
