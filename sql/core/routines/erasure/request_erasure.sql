-- Requests the erasure of an archived company from a time on, or changes the time of an earlier request. Returns the id of
-- the erasure.
--
-- owner: fettle_eraser
-- execute: fettle_admin
create function core.request_erasure(p_company uuid, p_due timestamptz, p_by text) returns uuid
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
declare
  erasure uuid := gen_random_uuid();
  name text;
begin
  perform pg_catalog.set_config('fettle.company_id', p_company::text, true);
  select c.slug into name from core.company c where c.id = p_company and c.status = 'archived' for no key update;
  if name is null then
    raise exception 'only an archived company can be erased' using errcode = 'object_not_in_prerequisite_state';
  end if;
  insert into core.erasure (id, kind, subject, digest, label, due_at, requested_by)
  values (
    erasure, 'company', p_company, sha256(uuid_send(p_company)), sha256(uuid_send(erasure) || convert_to(name, 'utf8')),
    p_due, p_by)
  on conflict (digest) do update
  set due_at = excluded.due_at, requested_at = now(), requested_by = excluded.requested_by
  where erasure.started_at is null
  returning erasure.id into erasure;
  return erasure;
end
$$;
