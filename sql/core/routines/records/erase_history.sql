-- Erases the personal texts of entries of a record's history: the actor's name, the comment and the changes. Hashes and
-- digests stay, and a row of core.history_erasure covers each entry. Returns the number of erased entries.
--
-- No login of Fettle may change history, so only a superuser can erase.
create function core.erase_history(
  p_company_id uuid,
  p_record_type text,
  p_record_id uuid,
  p_seqs bigint[],
  p_reason text
) returns bigint
  language sql volatile
  set search_path = core, pg_temp
as $$
  with erased as (
    update core.history h set actor_name = '', comment = null, changes = '{}', salt = ''
    where h.company_id = p_company_id
      and h.record_type = p_record_type
      and h.record_id = p_record_id
      and (p_seqs is null or h.seq = any (p_seqs))
      and octet_length(h.salt) > 0
    returning h as entry
  ),
  covered as (
    insert into core.history_erasure (company_id, record_type, record_id, seq, covers, reason)
    select (e.entry).company_id, (e.entry).record_type, (e.entry).record_id, (e.entry).seq,
      core.erasure_cover(e.entry), p_reason
    from erased e
    on conflict (company_id, record_type, record_id, seq) do update
    set covers = excluded.covers, reason = excluded.reason, erased_at = now()
    returning 1
  )
  select count(*) from covered
$$;
