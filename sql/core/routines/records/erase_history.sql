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
  with covered as (
    insert into core.history_erasure (company_id, record_type, record_id, seq, covers, reason)
    select h.company_id, h.record_type, h.record_id, h.seq,
      sha256(h.hash || h.actor_name_digest || h.comment_digest || h.changes_digest), p_reason
    from core.history h
    where h.company_id = p_company_id
      and h.record_type = p_record_type
      and h.record_id = p_record_id
      and (p_seqs is null or h.seq = any (p_seqs))
      and octet_length(h.salt) > 0
    order by h.seq
    on conflict (company_id, record_type, record_id, seq) do nothing
    returning seq
  ),
  erased as (
    update core.history h set actor_name = '', comment = null, changes = '{}', salt = ''
    from covered c
    where h.company_id = p_company_id
      and h.record_type = p_record_type
      and h.record_id = p_record_id
      and h.seq = c.seq
    returning 1
  )
  select count(*) from erased
$$;
