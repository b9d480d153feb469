-- Share links without their secrets.
create view trips.v_plan_share with (security_invoker = true) as
select
  s.company_id, s.id, s.version,
  s.created_by, s.created_at, s.updated_by, s.updated_at,
  s.plan_id, s.level, s.expires_at, s.revoked_at,
  s.revoked_at is null and coalesce(s.expires_at > now(), true) as is_usable
from trips.plan_share s
where s.deleted_at is null;

comment on column trips.v_plan_share.is_usable is 'True if the link is neither revoked nor expired.';
