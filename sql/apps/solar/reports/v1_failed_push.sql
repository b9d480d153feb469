-- Recordings that the utility did not accept.
-- columns: company_id uuid, company text, site text, quantity text, value numeric, unit text,
--   taken_at timestamp with time zone, attempts smallint, error text, failed_at timestamp with time zone
create view report.v1_failed_push with (security_invoker = true, security_barrier = true) as
select
  r.company_id,
  c.slug as company,
  s.name as site,
  r.quantity,
  r.value,
  r.unit,
  r.taken_at,
  r.push_attempts as attempts,
  r.last_error as error,
  r.updated_at as failed_at
from solar.recording r
join solar.site s on s.company_id = r.company_id and s.id = r.site_id
join core.company c on c.id = r.company_id
where r.type = 'auto_push'
  and r.status = 'push_failed'
  and r.deleted_at is null;

comment on column report.v1_failed_push.company_id is 'The company.';
comment on column report.v1_failed_push.company is 'Short name of the company.';
comment on column report.v1_failed_push.site is 'Name of the site.';
comment on column report.v1_failed_push.quantity is 'Recorded quantity: power or energy.';
comment on column report.v1_failed_push.value is 'Recorded value, in the unit of the row.';
comment on column report.v1_failed_push.unit is 'Unit of the value.';
comment on column report.v1_failed_push.taken_at is 'Time of the reading.';
comment on column report.v1_failed_push.attempts is 'Number of push attempts since the last retry by a person.';
comment on column report.v1_failed_push.error is 'Error of the last attempt.';
comment on column report.v1_failed_push.failed_at is 'Time of the recording''s last change.';
