-- Starts a due erasure of a company, which nobody can enter or restore from then on. Returns the digest of its id; null if
-- the request is gone, finished or not due yet, or the company is not archived any more.
--
-- owner: fettle_eraser
-- execute: fettle_admin, fettle_worker
create function core.start_erasure(p_erasure uuid) returns bytea
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
declare
  request core.erasure%rowtype;
begin
  select e.* into request
  from core.erasure e
  where e.id = p_erasure and e.kind = 'company' and e.finished_at is null
  for update;
  if request.id is null or request.started_at is null and request.due_at > now() then
    return null;
  end if;
  perform pg_catalog.set_config('fettle.company_id', request.subject::text, true);
  update core.company c set status = 'erased', updated_at = now()
  where c.id = request.subject
    and (c.status = 'archived' or request.started_at is not null);
  if not found then
    return null;
  end if;
  update core.erasure e set started_at = coalesce(e.started_at, now()) where e.id = p_erasure;
  return request.digest;
end
$$;
