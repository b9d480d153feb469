-- Webhooks of each company, with failing receivers.
-- columns: company_id uuid, company text, webhook uuid, events text[], is_active boolean, failures integer,
--   reason text, failed_at timestamp with time zone, open_since timestamp with time zone,
--   retry_at timestamp with time zone
create view report.v1_webhook with (security_invoker = true, security_barrier = true) as
select
  w.company_id,
  c.slug as company,
  w.id as webhook,
  w.events,
  w.active as is_active,
  coalesce(k.failures, 0) as failures,
  k.reason,
  k.failed_at,
  k.opened_at as open_since,
  k.retry_at
from core.webhook w
join core.company c on c.id = w.company_id
left join core.webhook_circuit k on k.company_id = w.company_id
  and k.webhook_id = w.id;

comment on column report.v1_webhook.company_id is 'The company.';
comment on column report.v1_webhook.company is 'Short name of the company.';
comment on column report.v1_webhook.webhook is 'Id of the webhook.';
comment on column report.v1_webhook.events is 'Names of the subscribed events.';
comment on column report.v1_webhook.is_active is 'True if events are delivered.';
comment on column report.v1_webhook.failures is 'Number of failed attempts since the receiver last took a delivery.';
comment on column report.v1_webhook.reason is 'Reason for the last failure; null if none.';
comment on column report.v1_webhook.failed_at is 'Time of the last failure; null if none.';
comment on column report.v1_webhook.open_since is
  'Time since which deliveries are held back; null if they are attempted.';
comment on column report.v1_webhook.retry_at is
  'Time of the next attempt while deliveries are held back; null if they are attempted.';
