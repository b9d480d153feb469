-- Recordings with the name of their site.
create view solar.v_recording with (security_invoker = true) as
select
  r.company_id, r.id, r.version,
  r.created_by, r.created_at, r.updated_by, r.updated_at, r.client_created_at,
  r.site_id, r.type, r.quantity, r.unit, r.value, r.taken_at,
  r.upload_attempts, r.push_attempts, r.pushed_at, r.utility_ref, r.last_error,
  r.status, r.status_category,
  s.name as site_name
from solar.recording r
join solar.site s on s.company_id = r.company_id and s.id = r.site_id
where r.deleted_at is null;

comment on column solar.v_recording.site_name is 'Name of the site.';
