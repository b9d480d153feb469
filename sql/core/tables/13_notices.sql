-- Notices to members, their notification preferences, and webhooks.

create table core.notification (
  company_id  uuid        not null,
  id          uuid        not null,
  user_id     uuid        not null,
  template    text        not null,
  record_type text,
  record_id   uuid,
  data        jsonb       not null default '{}',
  dedupe_key  text,
  state       text        not null default 'queued'
                          check (state in ('queued', 'sent', 'read', 'cancelled', 'failed')),
  created_at  timestamptz not null default now(),
  read_at     timestamptz,
  mailed_at   timestamptz,
  primary key (company_id, id),
  foreign key (company_id, user_id) references core.membership (company_id, user_id)
);

create unique index notification_dedupe on core.notification (company_id, dedupe_key)
  where dedupe_key is not null;
create index on core.notification (company_id, user_id, created_at);

comment on table  core.notification is 'Notices to members.';
comment on column core.notification.company_id is 'The company.';
comment on column core.notification.id is 'Key of the notice.';
comment on column core.notification.user_id is 'Recipient of the notice.';
comment on column core.notification.template is
  'Template: app.template from an app''s manifest, or a template of the engine.';
comment on column core.notification.record_type is 'Type of the record that the notice is about; null if none.';
comment on column core.notification.record_id is 'Record that the notice is about; null if none.';
comment on column core.notification.data is 'Values of the template''s placeholders.';
comment on column core.notification.dedupe_key is
  'Deduplication key: no second notice with the same key is created; null if none.';
comment on column core.notification.state is 'State: queued, sent, read, cancelled or failed.';
comment on column core.notification.created_at is 'Time of creation.';
comment on column core.notification.read_at is 'Time of reading; null if unread.';
comment on column core.notification.mailed_at is
  'Time at which a mail server took a mail with the notice, alone or in a digest; null if none.';

select core.attach_tenant_table('core.notification');
grant select, insert, update (state, read_at) on core.notification to fettle_app, fettle_worker, fettle_admin;
grant update (mailed_at) on core.notification to fettle_worker;

create table core.notification_preference (
  company_id uuid        not null,
  user_id    uuid        not null,
  topic      text        not null check (topic = '*' or topic ~ '^([a-z][a-z0-9_]*\.)?[a-z][a-z0-9_]*$'),
  delivery   text        not null check (delivery in ('inbox', 'mail', 'off')),
  updated_at timestamptz not null default now(),
  primary key (company_id, user_id, topic),
  foreign key (company_id, user_id) references core.membership (company_id, user_id)  -- keep
);

comment on table  core.notification_preference is 'Notification preferences of members, one row per topic.';
comment on column core.notification_preference.company_id is 'The company.';
comment on column core.notification_preference.user_id is 'The member.';
comment on column core.notification_preference.topic is
  'Template as in core.notification, or * for all templates without a row of their own.';
comment on column core.notification_preference.delivery is 'Delivery: inbox, mail (inbox and a mail at once) or off.';
comment on column core.notification_preference.updated_at is 'Time of the last change.';

select core.attach_tenant_table('core.notification_preference');
grant select, insert, update (delivery, updated_at) on core.notification_preference to fettle_app,
  fettle_admin;
grant select on core.notification_preference to fettle_worker;

create table core.webhook (
  company_id uuid        not null,
  id         uuid        not null,
  url        text        not null check (url ~ '^https?://' and length(url) <= 2048),
  secret     bytea       not null check (octet_length(secret) >= 49),
  previous_secret bytea  check (octet_length(previous_secret) >= 49),
  previous_until timestamptz,
  events     text[]      not null check (cardinality(events) > 0),
  active     boolean     not null default true,
  created_by uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (company_id, id),
  foreign key (company_id, created_by) references core.membership (company_id, user_id),
  constraint webhook_previous_has_end check ((previous_secret is null) = (previous_until is null))
);

create index on core.webhook (company_id, created_by) where created_by is not null;

comment on table  core.webhook is 'Webhooks: addresses that receive the events of a company.';
comment on column core.webhook.company_id is 'The company.';
comment on column core.webhook.id is 'Key of the webhook.';
comment on column core.webhook.url is 'Address that receives the events.';
comment on column core.webhook.secret is 
  'Secret: key that signs deliveries, encrypted with the vault key of the key file; 33 bytes longer than the key.';
comment on column core.webhook.previous_secret is
  'Previous secret, encrypted alike, which also signs deliveries until previous_until; null if none.';
comment on column core.webhook.previous_until is 'End of the use of the previous secret; null if there is none.';
comment on column core.webhook.events is
  'Names of the subscribed events, such as maintenance.entry.completed; maintenance.entry.* for every change of a type.';
comment on column core.webhook.active is 'True if events are delivered.';
comment on column core.webhook.created_by is 'Member who created the webhook; null for an operator.';
comment on column core.webhook.created_at is 'Time of creation.';
comment on column core.webhook.updated_at is 'Time of the last change.';

select core.attach_tenant_table('core.webhook');
create policy auth_select on core.webhook for select to fettle_auth
  using (company_id = (select core.current_company()));
create policy auth_insert on core.webhook for insert to fettle_auth
  with check (company_id = (select core.current_company()));
create policy auth_update on core.webhook for update to fettle_auth
  using (company_id = (select core.current_company()))
  with check (company_id = (select core.current_company()));
grant select (company_id, id, url, events, active, previous_until, created_by, created_at, updated_at), update (url,
  events, active, updated_at), delete on core.webhook to fettle_app, fettle_admin;
grant select (company_id, id, url, events, active, previous_until, created_by, created_at, updated_at)
  on core.webhook to fettle_worker;
-- A receiver that is gone switches its webhook off.
grant update (active, updated_at) on core.webhook to fettle_worker;
grant select, insert, update (secret, previous_secret, previous_until, updated_at) on core.webhook to fettle_auth;

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
  'Attempts to deliver events in the last 30 days, including those of removed webhooks.';
comment on column core.webhook_delivery.company_id is 'The company.';
comment on column core.webhook_delivery.id is 'Key of the attempt.';
comment on column core.webhook_delivery.webhook_id is 'The webhook.';
comment on column core.webhook_delivery.job_id is 'The job that made the attempt.';
comment on column core.webhook_delivery.delivery is
  'Idempotency key of the delivery, the same for all attempts and redeliveries of one event.';
comment on column core.webhook_delivery.event is 'Name of the event.';
comment on column core.webhook_delivery.record_type is 'Type of the record that the event is about; null for a test.';
comment on column core.webhook_delivery.record_id is 'Record that the event is about; null for a test.';
comment on column core.webhook_delivery.history_seq is
  'Number of the history entry that the event is about; null for a test.';
comment on column core.webhook_delivery.attempt is 'Number of the job''s attempt, from 1.';
comment on column core.webhook_delivery.at is 'Time at which the attempt ended.';
comment on column core.webhook_delivery.duration_ms is 'Duration of the attempt in milliseconds.';
comment on column core.webhook_delivery.outcome is
  'Outcome: delivered, retrying (failed, another attempt follows) or failed (no further attempt).';
comment on column core.webhook_delivery.http_status is 'HTTP status of the response; null if there was none.';
comment on column core.webhook_delivery.reason is 'Reason for the failure; null if delivered.';
comment on column core.webhook_delivery.answer is
  'The first 1,000 characters of the response; null if there was none.';

select core.attach_tenant_table('core.webhook_delivery');
grant select on core.webhook_delivery to fettle_app, fettle_worker, fettle_admin;
grant insert, delete on core.webhook_delivery to fettle_worker;

create table core.webhook_circuit (
  company_id uuid        not null,
  webhook_id uuid        not null,
  failures   integer     not null check (failures >= 1),
  reason     text        not null check (reason <> ''),
  failed_at  timestamptz not null default now(),
  opened_at  timestamptz,
  retry_at   timestamptz,
  probes     integer     not null default 0 check (probes >= 0),
  primary key (company_id, webhook_id),
  foreign key (company_id, webhook_id) references core.webhook (company_id, id),
  constraint webhook_circuit_open_has_retry check ((opened_at is null) = (retry_at is null))
);

comment on table  core.webhook_circuit is
  'Webhooks whose last delivery failed. An open circuit holds back the deliveries of its webhook.';
comment on column core.webhook_circuit.company_id is 'The company.';
comment on column core.webhook_circuit.webhook_id is 'The webhook.';
comment on column core.webhook_circuit.failures is 'Number of failed attempts since the receiver last took a delivery.';
comment on column core.webhook_circuit.reason is 'Reason for the last failure.';
comment on column core.webhook_circuit.failed_at is 'Time of the last failure.';
comment on column core.webhook_circuit.opened_at is 'Time at which the circuit opened; null if it is closed.';
comment on column core.webhook_circuit.retry_at is
  'Time from which one delivery is attempted, as a probe; null if the circuit is closed.';
comment on column core.webhook_circuit.probes is 'Number of failed probes since the circuit opened.';

select core.attach_tenant_table('core.webhook_circuit');
grant select on core.webhook_circuit to fettle_app, fettle_worker, fettle_admin;
grant insert, update (failures, reason, failed_at, opened_at, retry_at, probes) on core.webhook_circuit
  to fettle_worker;
grant delete on core.webhook_circuit to fettle_app, fettle_worker, fettle_admin;
