-- How workers share limits and rates.

set local row_security = on;

-- Whose share of a limit a company's job uses; null: it is none of the limit's.
create function core.limit_share(p_rule core.job_limit, p_company uuid) returns uuid
  language sql immutable
  set search_path = core, pg_temp
as $$
  select case
    when p_rule.company_id = p_company or p_rule.each_company then p_company
    when p_rule.company_id = '00000000-0000-7000-8000-000000000000' then p_rule.company_id
  end
$$;

comment on function core.limit_share(core.job_limit, uuid) is
  'Whose share of a limit a company uses: its own, or that of all together.';

create function core.lease_tokens(p_worker uuid, p_limit uuid, p_company uuid, p_wanted integer) returns integer
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
declare
  rule core.job_limit;
  share uuid;
  held integer;
  others bigint;
  granted integer;
begin
  perform from core.worker w where w.id = p_worker and w.lease_until > clock_timestamp() for key share;
  if not found then
    raise exception 'the worker is not registered, or was taken for lost' using errcode = 'FT010';
  end if;
  select l.* into rule
  from core.job_limit l
  where l.company_id in (p_company, '00000000-0000-7000-8000-000000000000') and l.id = p_limit;
  share := core.limit_share(rule, p_company);
  -- The limit is gone, or has no number: its worker reads the rules again soon.
  if share is null or rule.max_running is null then return greatest(p_wanted, 0); end if;
  perform pg_advisory_xact_lock(hashtextextended(share::text || '/' || p_limit::text, 7451));
  -- Statements of their own: they see what was leased while the lock was waited for.
  delete from core.job_token t
  where t.company_id = share and t.limit_id = p_limit
    and not exists (select from core.worker w where w.id = t.worker_id);
  select coalesce(sum(t.leased) filter (where t.worker_id <> p_worker), 0),
    coalesce(sum(t.leased) filter (where t.worker_id = p_worker), 0)
  into others, held
  from core.job_token t
  where t.company_id = share and t.limit_id = p_limit;
  -- What a worker holds and still wants is never taken away: jobs run on it.
  granted := greatest(least(p_wanted, rule.max_running - others), least(p_wanted, held), 0);
  if granted = 0 then
    delete from core.job_token t where t.company_id = share and t.limit_id = p_limit and t.worker_id = p_worker;
  elsif granted <> held then
    insert into core.job_token (company_id, limit_id, worker_id, leased)
    values (share, p_limit, p_worker, granted)
    on conflict (company_id, limit_id, worker_id) do update set leased = excluded.leased;
  end if;
  return granted;
end
$$;

comment on function core.lease_tokens(uuid, uuid, uuid, integer) is
  'How many jobs of a limit and a company a worker may run from now on, at most as many as it wants; 0 gives all back.';

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
  -- Never back in time: a clock that was set back refills nothing, and takes nothing away.
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

comment on function core.take_rate(uuid, uuid, integer) is
  'How many jobs of a rate may begin now, at most as many as wanted, and in how many seconds another; less than 0 gives back.';

revoke execute on function core.limit_share(core.job_limit, uuid), core.lease_tokens(uuid, uuid, uuid, integer),
  core.take_rate(uuid, uuid, integer)
  from public;
grant execute on function core.limit_share(core.job_limit, uuid) to fettle_auth;
grant execute on function core.lease_tokens(uuid, uuid, uuid, integer), core.take_rate(uuid, uuid, integer)
  to fettle_worker;

grant create on schema core to fettle_auth;
alter function core.lease_tokens(uuid, uuid, uuid, integer) owner to fettle_auth;
alter function core.take_rate(uuid, uuid, integer) owner to fettle_auth;
revoke create on schema core from fettle_auth;
