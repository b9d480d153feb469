-- Roles of each company, with the number of members and permissions.
-- columns: company_id uuid, company text, role text, label text, is_built_in boolean, members bigint,
--   permissions bigint
create view report.v1_role with (security_invoker = true, security_barrier = true) as
select
  r.company_id,
  c.slug as company,
  r.name as role,
  r.label,
  r.built_in as is_built_in,
  m.members,
  p.permissions
from core.role r
join core.company c on c.id = r.company_id
cross join lateral (
  select count(*) as members
  from core.membership x
  where x.company_id = r.company_id
    and x.role = r.name
    and x.status = 'active'
) m
cross join lateral (
  select count(*) as permissions
  from (
    select g.permission from core.builtin_grant g where r.built_in and g.role = r.name
    union all
    select o.permission from core.role_permission o where o.company_id = r.company_id and o.role = r.name
  ) x
) p
where c.kind <> 'system';

comment on column report.v1_role.company_id is 'The company.';
comment on column report.v1_role.company is 'Short name of the company.';
comment on column report.v1_role.role is 'Name of the role.';
comment on column report.v1_role.label is 'Display name of the role.';
comment on column report.v1_role.is_built_in is 'True for a built-in role, which every company has.';
comment on column report.v1_role.members is 'Number of active members with the role.';
comment on column report.v1_role.permissions is
  'Number of permissions of the role, including those of apps that the company has not enabled.';
