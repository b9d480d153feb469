-- Members of each company with their roles, without removed members.
-- columns: company_id uuid, company text, member text, email text, kind text, role text, status text,
--   account_status text, joined_at timestamp with time zone, invited_by text
create view report.v1_member with (security_invoker = true, security_barrier = true) as
select
  m.company_id,
  c.slug as company,
  u.name as member,
  u.email,
  u.kind,
  m.role,
  m.status,
  u.status as account_status,
  m.created_at as joined_at,
  i.name as invited_by
from core.membership m
join core.company c on c.id = m.company_id
join core.app_user u on u.id = m.user_id
left join core.app_user i on i.id = m.invited_by
where m.status <> 'removed';

comment on column report.v1_member.company_id is 'The company.';
comment on column report.v1_member.company is 'Short name of the company.';
comment on column report.v1_member.member is 'Name of the member.';
comment on column report.v1_member.email is 'E-mail address of the member.';
comment on column report.v1_member.kind is 'Kind of user: person, service or visitor.';
comment on column report.v1_member.role is 'Role of the member in the company.';
comment on column report.v1_member.status is 'Status of the membership: active or suspended.';
comment on column report.v1_member.account_status is 'Status of the user in all companies: active or disabled.';
comment on column report.v1_member.joined_at is 'Time of joining.';
comment on column report.v1_member.invited_by is 'Name of the member who invited them; null for an operator.';
