-- Returns the digest by which an erasure covers a history entry: of its hash, of the digests of what it said, and of what
-- was left of it. So an erased entry that is changed afterwards is found.
--
-- execute: fettle_app, fettle_worker, fettle_admin, fettle_eraser
create function core.erasure_cover(p_entry core.history) returns bytea
  language sql stable
  set search_path = ''
as $$
  select sha256(
    p_entry.hash || p_entry.actor_name_digest || p_entry.comment_digest || p_entry.changes_digest
    || convert_to(
      jsonb_build_array(
        p_entry.actor_id, p_entry.on_behalf_of, p_entry.actor_name, p_entry.comment, p_entry.changes)::text,
      'utf8'))
$$;
