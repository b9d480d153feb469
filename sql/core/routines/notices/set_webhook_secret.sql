-- Replaces the signing secret of a webhook of the transaction's company; false if there is no such webhook.
--
-- owner: fettle_auth
-- execute: fettle_app, fettle_admin
create function core.set_webhook_secret(p_company_id uuid, p_id uuid, p_secret bytea) returns boolean
  language sql volatile security definer
  set search_path = core, pg_temp
as $$
  with changed as (
    update core.webhook
    set secret = p_secret, updated_at = transaction_timestamp()
    where company_id = p_company_id
      and id = p_id
    returning id
  )
  select exists (select from changed)
$$;
