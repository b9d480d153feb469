-- Dismisses a dead job of the transaction's company: its state becomes cancelled; returns false if it is not
-- dead.
--
-- owner: fettle_auth
-- execute: fettle_app, fettle_worker, fettle_admin
create function core.discard_job(p_id uuid) returns boolean
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
begin
  update core.job_end e
  set state = 'cancelled'
  where e.company_id = core.current_company() and e.id = p_id and e.state = 'dead';
  return found;
end
$$;
