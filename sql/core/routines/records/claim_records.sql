-- Transfers a visitor's private records to the acting member, with the new heads of their histories; returns the
-- number transferred. Refused unless the visitor's membership of the transaction's company ended in this
-- transaction.
--
-- Foreign keys between parents and children contain the owner, so one statement moves them all.
--
-- owner: fettle_auth
-- execute: fettle_app, fettle_admin
create function core.claim_records(
  p_company_id uuid,
  p_from uuid,
  p_to uuid,
  p_types text[],
  p_ids uuid[],
  p_seqs bigint[],
  p_hashes bytea[]
) returns bigint
  language plpgsql volatile security definer
  set search_path = core, pg_temp
as $$
declare
  statement text;
  moved bigint;
begin
  if p_company_id is distinct from core.current_company()
    or p_to is distinct from core.current_user_id()
    or not exists (
      select from core.membership m
      where m.company_id = p_company_id and m.user_id = p_to and m.status = 'active'
    )
    or not exists (
      select from core.membership m
      join core.app_user u on u.id = m.user_id
      where m.company_id = p_company_id
        and m.user_id = p_from
        and m.status = 'removed'
        and m.updated_at = transaction_timestamp()
        and u.kind = 'visitor'
    ) then
    raise exception 'only the acting member can claim records, and only those of a visitor who leaves'
      using errcode = 'insufficient_privilege';
  end if;
  select format(
      'with m as (select * from unnest($1, $2, $3, $4) x (record_type, id, seq, hash)), %s select %s',
      string_agg(
        format(
          't%s as (update %I.%I t set created_by = $5, version = t.version + 1, updated_by = $5, updated_at = now(), '
          'history_seq = m.seq, history_hash = m.hash from m '
          'where m.record_type = %L and t.company_id = $6 and t.id = m.id and t.created_by = $7 returning 1)',
          r.number, r.table_schema, r.table_name, r.name),
        ', '),
      string_agg(format('(select count(*) from t%s)', r.number), ' + '))
  into statement
  from (
    select t.name, t.table_schema, t.table_name, row_number() over (order by t.name) as number
    from core.record_type t
    where t.name = any (p_types)
      and t.definition ->> 'scope' = 'owner'
  ) r;

  if statement is null then
    return 0;
  end if;
  execute statement into moved using p_types, p_ids, p_seqs, p_hashes, p_to, p_company_id, p_from;
  return moved;
end
$$;
