-- The delivery log of webhooks.

create table core.webhook_delivery (
  company_id  uuid        not null references core.company (id),
  id          uuid        not null,
  webhook_id  uuid        not null,
  job_id      uuid        not null,
  delivery    text        not null check (delivery <> ''),
  event       text        not null check (event <> ''),
  record_type text,
  record_id   uuid,
  history_seq bigint,
  attempt     integer     not null check (attempt >= 1),
  at          timestamptz not null default now(),
  duration_ms integer     not null check (duration_ms >= 0),
  outcome     text        not null check (outcome in ('delivered', 'retrying', 'failed')),
  http_status integer,
  reason      text,
  answer      text,
  primary key (company_id, id),
  constraint webhook_delivery_has_reason check ((outcome = 'delivered') = (reason is null)),
  constraint webhook_delivery_names_record check (num_nulls(record_type, record_id, history_seq) in (0, 3))
);

create index on core.webhook_delivery (company_id, webhook_id, at);
create index on core.webhook_delivery (company_id, job_id);

comment on table  core.webhook_delivery is
  'Attempts to deliver events to webhooks, of the last 30 days; also of webhooks that were removed since.';
comment on column core.webhook_delivery.company_id is 'The company.';
comment on column core.webhook_delivery.id is 'Key of the attempt.';
comment on column core.webhook_delivery.webhook_id is 'The webhook.';
comment on column core.webhook_delivery.job_id is 'The job that made the attempt.';
comment on column core.webhook_delivery.delivery is
  'Idempotency key that was sent; the same for all attempts and redeliveries of one event.';
comment on column core.webhook_delivery.event is 'Name of the event.';
comment on column core.webhook_delivery.record_type is 'Type of the record that the event is about; null: a test.';
comment on column core.webhook_delivery.record_id is 'The record that the event is about.';
comment on column core.webhook_delivery.history_seq is 'Number of the history entry that the event is about.';
comment on column core.webhook_delivery.attempt is 'Number of the attempt of its job, from 1.';
comment on column core.webhook_delivery.at is 'When the attempt ended.';
comment on column core.webhook_delivery.duration_ms is 'Duration of the attempt in milliseconds.';
comment on column core.webhook_delivery.outcome is
  'delivered; retrying: failed and to be tried again; failed: not to be tried again.';
comment on column core.webhook_delivery.http_status is 'HTTP status of the answer; null: no answer.';
comment on column core.webhook_delivery.reason is 'Why it failed; null: delivered.';
comment on column core.webhook_delivery.answer is 'Beginning of the answer, at most 1,000 characters.';

select core.attach_tenant_table('core.webhook_delivery');
grant select on core.webhook_delivery to fettle_app, fettle_worker, fettle_admin;
grant insert, delete on core.webhook_delivery to fettle_worker;
