-- Disables the account of a visitor whose records were claimed: one whose membership of the transaction's company
-- ended in this transaction; false for anyone else.
--
-- owner: fettle_auth
-- execute: fettle_app
create function core.end_visitor(p_user_id uuid) returns boolean
  language sql volatile security definer
  set search_path = core, pg_temp
as $$
  with ended as (
    update core.app_user u
    set status = 'disabled', updated_at = transaction_timestamp()
    from core.membership m
    where u.id = p_user_id
      and u.kind = 'visitor'
      and m.company_id = (select core.current_company())
      and m.user_id = u.id
      and m.status = 'removed'
      and m.updated_at = transaction_timestamp()
    returning u.id
  )
  select exists (select from ended)
$$;
