-- Record quotas with the number of records that use them.
-- columns: company_id uuid, company text, record_type text, used bigint, max_records bigint,
--   percent_used numeric
create view report.v1_quota with (security_invoker = true, security_barrier = true) as
select
  q.company_id,
  c.slug as company,
  q.record_type,
  u.used,
  q.max_records,
  round(100.0 * u.used / nullif(q.max_records, 0), 1) as percent_used
from core.quota q
join core.company c on c.id = q.company_id
cross join lateral (
  select count(*) as used
  from core.feed f
  where f.company_id = q.company_id
    and f.op = 'put'
    and (f.record_type = q.record_type or q.record_type = '*')
) u
-- The quota of bytes for files is not one of records.
where q.record_type <> 'bytes';

comment on column report.v1_quota.company_id is 'The company.';
comment on column report.v1_quota.company is 'Short name of the company.';
comment on column report.v1_quota.record_type is 'Record type of the quota; * for all types together.';
comment on column report.v1_quota.used is 'Number of records that count towards the quota.';
comment on column report.v1_quota.max_records is 'Maximum number of records.';
comment on column report.v1_quota.percent_used is 'Percentage used; null for a quota of 0.';
