-- A notice template belongs to its app: notices and preferences name it app.template.

alter table core.notification_preference
  drop constraint notification_preference_topic_check,
  add constraint notification_preference_topic_check
    check (topic = '*' or topic ~ '^([a-z][a-z0-9_]*\.)?[a-z][a-z0-9_]*$');

comment on column core.notification_preference.topic is
  'The template of a notice as core.notification has it, or * for all that have no row of their own.';
comment on column core.notification.template is
  'app.template of an app''s manifest, or the name of one of the engine''s own templates.';
