-- Returns the encrypted signing secret of a webhook of the transaction's company.
--
-- owner: fettle_auth
-- execute: fettle_worker
create function core.webhook_secret(p_company_id uuid, p_id uuid) returns bytea
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  select w.secret
  from core.webhook w
  where w.company_id = p_company_id
    and w.id = p_id
$$;
