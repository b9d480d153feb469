-- Returns the encrypted signing secret of a webhook of the transaction's company, and the previous one while it is
-- still in use; otherwise null.
--
-- owner: fettle_auth
-- execute: fettle_worker
create function core.webhook_secret(p_company_id uuid, p_id uuid) returns table (secret bytea, previous_secret bytea)
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  select w.secret, case when w.previous_until > transaction_timestamp() then w.previous_secret end
  from core.webhook w
  where w.company_id = p_company_id
    and w.id = p_id
$$;
