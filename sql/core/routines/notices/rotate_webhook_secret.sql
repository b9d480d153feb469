-- Replaces the signing secret of a webhook of the transaction's company. The previous secret also signs deliveries
-- for the given time. Returns the end of that time; null if there is no such webhook.
--
-- owner: fettle_auth
-- execute: fettle_app, fettle_admin
create function core.rotate_webhook_secret(p_company_id uuid, p_id uuid, p_secret bytea, p_overlap interval)
  returns timestamptz
  language sql volatile security definer
  set search_path = core, pg_temp
as $$
  update core.webhook
  set previous_secret = secret,
    previous_until = transaction_timestamp() + p_overlap,
    secret = p_secret,
    updated_at = transaction_timestamp()
  where company_id = p_company_id
    and id = p_id
  returning previous_until
$$;
