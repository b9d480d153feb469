-- Returns the lane of the jobs of a company, queue, kind and priority.
--
-- The first half of a lane is the second, random half of its company's id, so that a check can cheaply compare a row's
-- lane with its company. The second half is a hash of queue, kind and priority.
--
-- execute: fettle_app, fettle_worker, fettle_admin, fettle_auth
create function core.job_lane(p_company_id uuid, p_queue text, p_kind text, p_priority integer) returns uuid
  language sql immutable
  set search_path = ''
as $$
  select encode(
    substring(uuid_send(p_company_id), 9, 8)
      || substring(decode(md5(p_queue || '/' || p_kind || '/' || p_priority::text), 'hex'), 1, 8),
    'hex')::uuid
$$;
