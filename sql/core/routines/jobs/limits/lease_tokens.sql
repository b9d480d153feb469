-- Leases up to p_wanted tokens of a limit to a worker and returns the number it holds now; 0 returns all its
-- tokens.
--
-- If the limit does not apply, all wanted tokens are granted. Raises FT010 if the worker is not registered.
--
-- owner: fettle_auth
-- execute: fettle_worker
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
    raise exception 'the worker is not registered, or was declared lost' using errcode = 'FT010';
  end if;
  select l.* into rule
  from core.job_limit l
  where l.company_id in (p_company, '00000000-0000-7000-8000-000000000000') and l.id = p_limit;
  share := core.limit_share(rule, p_company);
  -- The limit was removed or limits no running jobs; the worker reads the rules again soon.
  if share is null or rule.max_running is null then return greatest(p_wanted, 0); end if;
  perform pg_advisory_xact_lock(hashtextextended(share::text || '/' || p_limit::text, 7451));
  -- Separate statements see the tokens that were leased while this one waited for the lock.
  delete from core.job_token t
  where t.company_id = share and t.limit_id = p_limit
    and not exists (select from core.worker w where w.id = t.worker_id);
  select coalesce(sum(t.leased) filter (where t.worker_id <> p_worker), 0),
    coalesce(sum(t.leased) filter (where t.worker_id = p_worker), 0)
  into others, held
  from core.job_token t
  where t.company_id = share and t.limit_id = p_limit;
  -- Tokens that a worker holds and still wants are never taken away: jobs run on them.
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
