-- Transfers a visitor's private records to the acting member, with the new heads of their histories, everything that
-- names their owner, and the visitor's devices; returns the number of records. Refused unless the visitor's membership
-- of the transaction's company ended in this transaction.
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
  moved bigint := 0;
  place regclass;
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

  if cardinality(p_ids) > 0 then
    execute statement into moved using p_types, p_ids, p_seqs, p_hashes, p_to, p_company_id, p_from;
  end if;

  -- Found by the column, so that a new table about private records is not forgotten.
  for place in
    select a.attrelid::regclass
    from pg_catalog.pg_attribute a
    join pg_catalog.pg_class c on c.oid = a.attrelid
    where c.relnamespace = 'core'::regnamespace
      and c.relkind in ('r', 'p')
      and a.attname = 'owner_id'
      and not a.attisdropped
    order by a.attrelid
  loop
    execute format('update %s t set owner_id = $1 where t.company_id = $2 and t.owner_id = $3', place)
      using p_to, p_company_id, p_from;
  end loop;
  -- Only the uploader continues an upload, and sees a file before it is prepared.
  update core.upload u set created_by = p_to where u.company_id = p_company_id and u.created_by = p_from;
  update core.attachment a set created_by = p_to
  where a.company_id = p_company_id
    and a.created_by = p_from
    and (a.state = 'pending' or a.owner_id = p_to);
  update core.watcher w set user_id = p_to
  where w.company_id = p_company_id
    and w.user_id = p_from
    and not exists (
      select from core.watcher o
      where o.company_id = w.company_id
        and o.record_type = w.record_type
        and o.record_id = w.record_id
        and o.user_id = p_to
    );
  update core.device d set user_id = p_to where d.company_id = p_company_id and d.user_id = p_from;
  return moved;
end
$$;
