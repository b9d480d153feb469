-- Messages with their position in the conversation.
create view trips.v_message with (security_invoker = true) as
select
  m.company_id, m.id, m.version,
  m.created_by, m.created_at, m.updated_by, m.updated_at, m.client_created_at,
  m.conversation_id, m.seq, m.author, m.content
from trips.message m
where m.deleted_at is null;
