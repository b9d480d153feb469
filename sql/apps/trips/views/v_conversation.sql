-- Conversations with the number of messages and the time of the newest message.
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

comment on column trips.v_conversation.message_count is 'Number of messages.';
comment on column trips.v_conversation.last_message_at is 'Time of the newest message; null if none.';
