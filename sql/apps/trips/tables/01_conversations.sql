-- Conversations in which photo trips are planned. Each record of this app is private to its creator: the
-- installer adds the policy.

create schema trips;

comment on schema trips is 'Schema of the trips app: photo trips and the conversations that plan them.';

create table trips.conversation (
  like core.record_base including defaults including comments,
  title           text,
  status          text not null,
  status_category text not null check (status_category in ('open', 'active', 'done')),
  primary key (company_id, id),
  foreign key (company_id, created_by) references core.membership (company_id, user_id),  -- keep
  constraint conversation_owned check (created_by is not null)
);

create unique index conversation_of_person on trips.conversation (company_id, created_by, id);

comment on table  trips.conversation is 'Chats in which trips are planned.';
comment on column trips.conversation.title is 'Title of the conversation; null if none.';
comment on column trips.conversation.status is 'Status: open or archived; changed by transitions only.';
comment on column trips.conversation.status_category is 'Category of the status: open, active or done.';

create table trips.message (
  like core.record_base including defaults including comments,
  conversation_id uuid not null,
  seq             integer not null check (seq >= 1),
  author          text not null check (author in ('user', 'assistant', 'system')),
  content         text not null check (octet_length(content) between 1 and 65536),
  primary key (company_id, id),
  foreign key (company_id, created_by, conversation_id)
    references trips.conversation (company_id, created_by, id),  -- cascade
  constraint message_owned check (created_by is not null)
);

create unique index message_order on trips.message (company_id, conversation_id, seq);
create index on trips.message (company_id, created_by, conversation_id);

comment on table  trips.message is 'Messages of conversations; written once, never changed.';
comment on column trips.message.conversation_id is 'The conversation.';
comment on column trips.message.seq is
  'Position in the conversation, from 1; assigned by the engine under the conversation''s lock.';
comment on column trips.message.author is
  'Author: user, assistant or system; created_by is always the conversation''s owner.';
comment on column trips.message.content is 'Text of the message, at most 64 KiB.';
