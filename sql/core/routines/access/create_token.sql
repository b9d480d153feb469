-- Creates an API token for an active member of the transaction's company; raises an error for anyone else.
--
-- owner: fettle_auth
-- execute: fettle_app, fettle_admin
create function core.create_token(
  p_id uuid,
  p_company_id uuid,
  p_user_id uuid,
  p_name text,
  p_secret_hash bytea,
  p_scopes text[],
  p_expires_at timestamptz default null
) returns void
  language plpgsql volatile security definer
  set search_path = core, pg_temp
as $$
begin
  insert into core.api_token (id, company_id, user_id, name, secret_hash, scopes, expires_at)
  select p_id, m.company_id, m.user_id, p_name, p_secret_hash, p_scopes, p_expires_at
  from core.membership m
  where m.company_id = p_company_id
    and m.user_id = p_user_id
    and m.status = 'active';
  if not found then
    raise exception 'active member not found in this company' using errcode = 'foreign_key_violation';
  end if;
end
$$;
