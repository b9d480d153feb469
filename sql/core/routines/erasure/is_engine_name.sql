-- Returns true for names of columns, and of members in JSON, whose values the engine or an app chooses from a list: a person's
-- name in them is another word.
--
-- execute: fettle_eraser, fettle_backup
create function core.is_engine_name(p_name text) returns boolean
  language sql immutable
  set search_path = ''
as $$
  select p_name = any (array[
    'action', 'actor_kind', 'app', 'cause_type', 'computed_zone', 'cron', 'currency', 'dedupe_key', 'event', 'events', 'fire',
    'format', 'from_status', 'key', 'kind', 'language', 'media_type', 'number', 'op', 'outcome', 'permission', 'permissions',
    'quantity', 'queue', 'record_type', 'role', 'scope', 'scopes', 'state', 'status', 'status_category', 'subject_type',
    'template', 'timezone', 'to_status', 'topic', 'trace_id', 'transition', 'type', 'unique_key'])
$$;
