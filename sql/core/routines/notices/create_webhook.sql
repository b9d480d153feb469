-- Creates a webhook of the transaction's company, with its encrypted secret.
--
-- owner: fettle_auth
-- execute: fettle_app, fettle_admin
create function core.create_webhook(
  p_company_id uuid,
  p_id uuid,
  p_url text,
  p_secret bytea,
  p_events text[],
  p_created_by uuid default null
) returns void
  language sql volatile security definer
  set search_path = core, pg_temp
as $$
  insert into core.webhook (company_id, id, url, secret, events, created_by)
  values (p_company_id, p_id, p_url, p_secret, p_events, p_created_by)
$$;
