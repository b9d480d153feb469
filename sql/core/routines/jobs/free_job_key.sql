-- Frees the unique key of an ended job; a key that is held for a period is kept until the period ends, and
-- marked as ended.
--
-- execute: fettle_app, fettle_worker, fettle_admin, fettle_auth
create function core.free_job_key(p_company uuid, p_kind text, p_key text, p_job uuid) returns void
  language sql
  set search_path = core, pg_temp
as $$
  delete from core.job_key k
  where k.company_id = p_company and k.kind = p_kind and k.key = p_key and k.job_id = p_job
    and (k.until is null or k.until <= clock_timestamp());
  update core.job_key k set is_ended = true
  where k.company_id = p_company and k.kind = p_kind and k.key = p_key and k.job_id = p_job;
$$;
