-- Audit: changes of people, roles and settings.
-- columns: company_id uuid, company text, at timestamp with time zone, actor_kind text, actor text,
--   on_behalf_of text, action text, subject_type text, subject_id text, detail jsonb
create view report.v1_audit with (security_invoker = true, security_barrier = true) as
select
  a.company_id,
  c.slug as company,
  a.at,
  a.actor_kind,
  coalesce(nullif(a.actor_name, ''), u.name) as actor,
  b.name as on_behalf_of,
  a.action,
  a.subject_type,
  a.subject_id,
  a.detail
from core.audit a
join core.company c on c.id = a.company_id
left join core.app_user u on u.id = a.actor_id
left join core.app_user b on b.id = a.on_behalf_of;

comment on column report.v1_audit.company_id is 'The company; the system company for changes of no company.';
comment on column report.v1_audit.company is 'Short name of the company.';
comment on column report.v1_audit.at is 'Time of the change.';
comment on column report.v1_audit.actor_kind is 'Kind of actor: member, device, token, operator or system.';
comment on column report.v1_audit.actor is
  'Name of the actor at that time, or the present name if none was recorded.';
comment on column report.v1_audit.on_behalf_of is
  'Name of the member on whose behalf another actor acted; null if none.';
comment on column report.v1_audit.action is 'The action, such as member.added.';
comment on column report.v1_audit.subject_type is 'Type of the subject, such as member.';
comment on column report.v1_audit.subject_id is 'Id or name of the subject.';
comment on column report.v1_audit.detail is 'Details of the change.';
