-- Ends the claims of workers whose lease has expired and removes these workers; returns the number of rescued
-- jobs.
--
-- owner: fettle_auth
-- execute: fettle_worker
create function core.rescue_jobs(p_error text) returns integer
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
declare
  lost record;
  open record;
  freed integer := 0;
begin
  for lost in
    select w.id, w.oldest_batch
    from core.worker w
    where w.lease_until < clock_timestamp()
    for update skip locked
  loop
    for open in
      select c.company_id, c.lane, c.no
      from core.job_claim c
      where c.worker_id = lost.id and c.batch >= lost.oldest_batch
        and not exists (
          select from core.job_ack s where s.company_id = c.company_id and s.lane = c.lane and s.no = c.no)
      order by c.batch
    loop
      freed := freed + core.end_claim(open.company_id, open.lane, open.no, lost.id, true, p_error);
    end loop;
    delete from core.worker w where w.id = lost.id;
  end loop;
  return freed;
end
$$;
