-- What is read. Each view runs as its caller, so a person sees their own rows and nobody else's.

create view trips.v_conversation with (security_invoker = true) as
select
  c.company_id, c.id, c.version,
  c.created_by, c.created_at, c.updated_by, c.updated_at, c.client_created_at,
  c.title,
  c.status, c.status_category,
  m.message_count,
  m.last_message_at
from trips.conversation c
cross join lateral (
  select
    count(*) as message_count,
    max(x.created_at) as last_message_at
  from trips.message x
  where x.company_id = c.company_id
    and x.created_by = c.created_by
    and x.conversation_id = c.id
    and x.deleted_at is null
) m
where c.deleted_at is null;

comment on view trips.v_conversation is 'Conversations with the number and time of their messages.';
comment on column trips.v_conversation.message_count is 'How many messages it has.';
comment on column trips.v_conversation.last_message_at is 'When the newest was written; null without any.';

create view trips.v_message with (security_invoker = true) as
select
  m.company_id, m.id, m.version,
  m.created_by, m.created_at, m.updated_by, m.updated_at, m.client_created_at,
  m.conversation_id, m.seq, m.author, m.content
from trips.message m
where m.deleted_at is null;

comment on view trips.v_message is 'Messages, each with its place in the conversation.';

create view trips.v_plan with (security_invoker = true) as
select
  p.company_id, p.id, p.version,
  p.created_by, p.created_at, p.updated_by, p.updated_at, p.client_created_at,
  p.conversation_id, p.title, p.destination, p.lat, p.lon,
  p.starts_on, p.ends_on, p.summary,
  p.status, p.status_category,
  s.stop_count,
  coalesce(p.ends_on - p.starts_on + 1, s.last_day) as days
from trips.plan p
cross join lateral (
  select
    count(*) as stop_count,
    max(x.day_no) as last_day
  from trips.stop x
  where x.company_id = p.company_id
    and x.created_by = p.created_by
    and x.plan_id = p.id
    and x.deleted_at is null
) s
where p.deleted_at is null;

comment on view trips.v_plan is 'Plans with the number of their stops and days.';
comment on column trips.v_plan.stop_count is 'How many stops it has.';
comment on column trips.v_plan.days is 'How many days it takes; from its stops while a date is missing.';

create view trips.v_stop with (security_invoker = true) as
select
  s.company_id, s.id, s.version,
  s.created_by, s.created_at, s.updated_by, s.updated_at, s.client_created_at,
  s.plan_id, s.day_no, s.position, s.name, s.lat, s.lon, s.best_light, s.notes,
  p.starts_on + s.day_no - 1 as visit_on
from trips.stop s
join trips.plan p
  on p.company_id = s.company_id and p.created_by = s.created_by and p.id = s.plan_id
where s.deleted_at is null
  and p.deleted_at is null;

comment on view trips.v_stop is 'Stops, each with the date of its day.';
comment on column trips.v_stop.visit_on is 'Date of the visit; null while the plan has no first day.';

create view trips.v_plan_share with (security_invoker = true) as
select
  s.company_id, s.id, s.version,
  s.created_by, s.created_at, s.updated_by, s.updated_at,
  s.plan_id, s.level, s.expires_at, s.revoked_at,
  s.revoked_at is null and coalesce(s.expires_at > now(), true) as is_usable
from trips.plan_share s
where s.deleted_at is null;

comment on view trips.v_plan_share is 'Share links without their secrets.';
comment on column trips.v_plan_share.is_usable is 'It is neither revoked nor over.';
