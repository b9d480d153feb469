-- Adds a code to an invitation of the transaction's company that only one address may redeem, for the mail to that
-- address; false if the invitation has ended. Earlier codes stay valid; the number of uses does not change.
--
-- owner: fettle_auth
-- execute: fettle_worker
create function core.mint_invite_code(p_company_id uuid, p_invite_id uuid, p_code_hmac bytea) returns boolean
  language sql volatile security definer
  set search_path = core, pg_temp
as $$
  with minted as (
    insert into core.invite_locator (code_hmac, company_id, invite_id)
    select p_code_hmac, i.company_id, i.id
    from core.invite i
    where i.company_id = p_company_id
      and i.id = p_invite_id
      and i.email_key is not null
      and i.revoked_at is null
      and i.used < i.max_uses
      and i.expires_at > now()
    returning invite_id
  )
  select exists (select from minted)
$$;
