-- Returns the lane of the jobs of a company, queue, kind and priority.
--
-- execute: fettle_app, fettle_worker, fettle_admin, fettle_auth
create function core.job_lane(p_company_id uuid, p_queue text, p_kind text, p_priority integer) returns uuid
  language sql immutable
  set search_path = ''
as $$
  select md5(p_company_id::text || '/' || p_queue || '/' || p_kind || '/' || p_priority::text)::uuid
$$;
